/**
 * A request with a JSON body and a JSON response to a service other than an oracle. Its errors have the types of oracle
 * requests.
 */
import { OfflineError, RequestError } from "../core/errors.ts";

export interface JsonRequest {
  readonly method?: "GET" | "POST" | "PUT";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly accessToken?: string | undefined;
  /** The name of the service in an error's sentence: `The homeserver`. */
  readonly service: string;
  readonly fetch?: typeof fetch | undefined;
}

/** Milliseconds until a service with an incomplete response counts as unreachable. */
const ANSWER_TIME_MS = 30_000;

/** Parsed JSON of any shape. Throws `RequestError` or `OfflineError`. */
export async function requestJson(url: string, request: JsonRequest): Promise<unknown> {
  const { method = "GET", body, accessToken, service, fetch: send = globalThis.fetch } = request;
  const { ok, status, text } = await send(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(accessToken === undefined ? {} : { Authorization: `Bearer ${accessToken}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A body may contain a token, and a redirect would send it to any address.
    redirect: body === undefined && accessToken === undefined ? "follow" : "error",
    signal: AbortSignal.timeout(ANSWER_TIME_MS),
  })
    .then(async (response) => ({ ok: response.ok, status: response.status, text: await response.text() }))
    .catch((cause: unknown) => {
      throw new OfflineError(`${service} cannot be reached`, { cause });
    });
  const value = parsed(text);
  if (!ok) throw refusal(service, status, value);
  if (value === undefined) throw new RequestError(`${service} did not answer with JSON`, { status });
  return value;
}

/** A required member of a response. */
export function textOf(value: unknown, name: string, service: string): string {
  const text = memberOf(value, name);
  if (typeof text !== "string" || text === "") throw new Error(`${service} answered without ${name}`);
  return text;
}

/** Undefined if `value` is not an object or has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function refusal(service: string, status: number, body: unknown): RequestError {
  const [said, code] = [memberOf(body, "error") ?? memberOf(body, "message"), memberOf(body, "errcode")];
  const reason = typeof said === "string" ? `: ${said}` : "";
  return new RequestError(`${service} refused with ${status}${reason}`, {
    status,
    code: typeof code === "string" ? code : undefined,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
