/**
 * The oracle over HTTP: finds out its DID, signs every request with a valid invocation, and turns error responses into
 * sentences. What a run's frames mean is left to `show-run.ts`.
 */
import * as z from "zod";
import { errorBody } from "../../protocol/errors.ts";
import { didDocument } from "../../protocol/records.ts";
import type { SendMessageInput } from "../../protocol/requests.ts";
import { unreachable } from "../server-address.ts";
import { ChatFailure, exitCodes } from "./command-line.ts";
import type { Identity } from "./identity.ts";
import { delegationLifetime, invocationLifetime, mintDelegation, mintInvocation } from "./tokens.ts";

/** A stream of a run, from whichever frame the server began with. */
export interface OpenRun {
  readonly runId: string;
  readonly body: ReadableStream<Uint8Array>;
}

export interface ChatClient {
  /** One request to a JSON route, its response checked against `schema`. */
  call<Schema extends z.ZodType>(
    method: "GET" | "POST",
    path: string,
    schema: Schema,
    body?: object,
  ): Promise<z.output<Schema>>;
  /** Sends a message; the server has stored it when this answers. */
  ask(sessionId: string, message: Pick<SendMessageInput, "message" | "model">): Promise<OpenRun>;
  /** The run's frames with an id above `after`; undefined when trying again later may help. */
  join(runId: string, after: number): Promise<OpenRun | undefined>;
}

export interface ClientSettings {
  readonly url: string;
  readonly identity: Identity;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** Seconds before its expiry at which an invocation is replaced, so that none expires on its way. */
const expiryMargin = 30;

export function createOracleClient({ url, identity, fetch, now, interrupted }: ClientSettings): ChatClient {
  const seconds = () => Math.floor(now() / 1000);
  let oracleDid: string | undefined;
  let invocation: Minted | undefined;
  let delegation: Minted | undefined;

  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${url}${path}`, { ...init, signal: interrupted });
    } catch (error) {
      if (interrupted.aborted) throw error;
      throw new ChatFailure(exitCodes.unreachable, unreachable(url, error));
    }
  }

  /** The audience of every token: the DID that the oracle publishes about itself. */
  async function discover(): Promise<string> {
    const response = await send("/.well-known/did.json", {});
    if (!response.ok) throw await errorOf(response);
    return (await readJson(response, didDocument)).id;
  }

  const isFresh = (token: Minted | undefined): token is Minted =>
    token !== undefined && token.expiresAt - expiryMargin > seconds();

  async function invoke(): Promise<string> {
    oracleDid ??= await discover();
    const time = seconds();
    if (!isFresh(invocation))
      invocation = { token: await mintInvocation(identity, oracleDid, time), expiresAt: time + invocationLifetime };
    return invocation.token;
  }

  async function delegate(): Promise<string> {
    oracleDid ??= await discover();
    const time = seconds();
    if (!isFresh(delegation))
      delegation = { token: await mintDelegation(identity, oracleDid, time), expiresAt: time + delegationLifetime };
    return delegation.token;
  }

  /** Tokens that the server does not accept (another clock, another key) are replaced in two stages, then it is final. */
  const renewals = [
    () => {
      invocation = undefined;
    },
    () => {
      oracleDid = invocation = delegation = undefined;
    },
  ];

  async function sendSigned(path: string, init: () => RequestInit | Promise<RequestInit>): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const request = await init();
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${await invoke()}`);
      headers.set("x-auth-type", "ucan");
      const response = await send(path, { ...request, headers });
      const renew = renewals[attempt];
      if (renew === undefined || !(await mayRenew(response))) return response;
      await response.body?.cancel();
      renew();
    }
  }

  return {
    async call(method, path, schema, body) {
      const content = body === undefined ? {} : { headers: jsonContent, body: JSON.stringify(body) };
      const response = await sendSigned(path, () => ({ method, ...content }));
      if (!response.ok) throw await errorOf(response);
      return await readJson(response, schema);
    },

    async ask(sessionId, message) {
      const response = await sendSigned(`/messages/${sessionId}`, async () => ({
        method: "POST",
        headers: { ...jsonContent, "x-ucan-delegation": await delegate() },
        body: JSON.stringify({
          ...message,
          stream: true,
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        } satisfies SendMessageInput),
      }));
      if (!response.ok) throw await errorOf(response);
      return openRun(response);
    },

    async join(runId, after) {
      const response = await sendSigned(`/runs/${encodeURIComponent(runId)}?after=${after}`, () => ({}));
      if (response.ok) return openRun(response);
      const failure = await errorOf(response);
      if (response.status >= 500 || response.status === 410 || response.status === 429) return undefined;
      throw failure;
    },
  };
}

interface Minted {
  readonly token: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

async function mayRenew(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 403) return false;
  const body = errorBody.partial().safeParse(
    await response
      .clone()
      .json()
      .catch(() => undefined),
  );
  return body.data?.retryable !== false;
}

const jsonContent = { "content-type": "application/json" };

function openRun(response: Response): OpenRun {
  const runId = response.headers.get("x-run-id");
  if (runId === null || response.body === null) throw unexpected(response, "is not the stream of a run");
  return { runId, body: response.body };
}

async function readJson<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) throw unexpected(response, `is not as promised: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The server's own message, when it sent one. */
async function errorOf(response: Response): Promise<ChatFailure> {
  const body = errorBody.partial().safeParse(await response.json().catch(() => undefined));
  const message = body.data?.message ?? `The server answered ${response.status} without a reason.`;
  const reason = body.data?.["reason"];
  const sentence = typeof reason === "string" ? `${message}: ${reason}` : message;
  const requestId = body.data?.requestId ?? response.headers.get("x-request-id");
  const text = requestId === null ? sentence : `${sentence} (request ${requestId})`;
  return new ChatFailure(response.status === 401 ? exitCodes.unauthorised : exitCodes.runFailed, text, response.status);
}

function unexpected(response: Response, mismatch: string): ChatFailure {
  return new ChatFailure(exitCodes.runFailed, `The response of ${new URL(response.url).pathname} ${mismatch}`);
}
