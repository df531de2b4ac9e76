/**
 * The registry requests of bulk work. Temporary failures (429, 503) are retried; others are thrown as a `RegistryRefusal`, or as
 * the error of `fetch` if there was no response.
 */
import { readErrorBody } from "../../shared/error-body.ts";
import { linesOf } from "../../shared/stream-lines.ts";

export interface ClientParts {
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly interrupted: AbortSignal;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly note: (line: string) => void;
}

/** The server's refusal. */
export class RegistryRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RegistryRefusal";
    this.status = status;
  }
}

export interface RegistryRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

export type RegistryClient = (request: RegistryRequest) => Promise<Response>;

/** Retries before giving up on an unavailable server; a rate limit is over within a minute. */
const ATTEMPTS = 8;
/** Milliseconds, if the server names no time. */
const USUAL_WAIT = 2_000;

export function createRegistryClient(parts: ClientParts): RegistryClient {
  const { url, key, interrupted, wait, note } = parts;
  return async ({ method, path, body }) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await parts.fetch(`${url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "Content-Type": "application/x-ndjson" }),
        },
        ...(body === undefined ? {} : { body }),
        signal: interrupted,
        // A redirect would send the key elsewhere.
        redirect: "error",
      });
      if (response.ok) return response;
      const { sentence = "the server refused", retryAfterMs = USUAL_WAIT } = readErrorBody(
        await response.text(),
        response.headers,
      );
      const isPassing = response.status === 429 || response.status === 503;
      if (!isPassing || attempt === ATTEMPTS) throw new RegistryRefusal(response.status, sentence);
      note(`${sentence} (${response.status}): waiting ${Math.ceil(retryAfterMs / 1000)} s`);
      await wait(retryAfterMs);
    }
  };
}

/** The lines of an NDJSON response as they arrive; text after the last line feed is incomplete and omitted. */
export async function* answeredLines({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  for await (const { text, isWhole } of linesOf(body)) if (isWhole) yield text;
}
