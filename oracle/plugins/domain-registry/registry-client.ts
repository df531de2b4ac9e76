/**
 * The registry's read routes for the tools. It uses only requests, so a registry in this Worker, at a service binding and at an
 * address share one path. An error is a sentence for the model.
 */
import type * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";

/** Time limit of the registry's response, including its body, milliseconds. */
export const REGISTRY_TIMEOUT_MS = 8_000;
/** How much of an answer is read, bytes: four of the largest domains. */
export const ANSWER_BYTES = 1024 * 1024;

/** Where the registry is. */
export interface RegistryAddress {
  /** Without a trailing slash. */
  readonly base: string;
  /** An API key with `domains:read`; undefined if none is needed or configured. */
  readonly key: string | undefined;
  /** `reader`: the DID of the user for whom it reads. */
  fetch(request: Request, reader: string): Promise<Response>;
}

/** The calling turn. */
export interface Asker {
  readonly abortSignal: AbortSignal;
  readonly user: { readonly did: string };
}

export interface RegistryClient {
  /** The members in the schema of the resource at `path`; undefined when there is none. */
  get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    asker: Asker,
  ): Promise<Result<z.output<Schema> | undefined, string>>;
}

const UNREACHABLE = "The domain registry cannot be reached at the moment. Nothing was read; ask again later.";
const UNREADABLE = "The domain registry sent an invalid answer. Nothing was read.";
const TOO_LARGE = "The domain registry's answer is too large to be read. Ask for fewer domains.";

export function createRegistryClient({ base, key, fetch }: RegistryAddress): RegistryClient {
  async function answer(
    path: string,
    reader: string,
    signal: AbortSignal,
  ): Promise<Result<string | undefined, string>> {
    const headers = { Accept: "application/json", ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) };
    // Following a redirect would send the key elsewhere.
    const response = await fetch(new Request(base + path, { headers, signal, redirect: "manual" }), reader);
    if (response.ok) return boundedText(response);
    await response.body?.cancel();
    if (response.status === 404) return success(undefined);
    return failure(refusalOf(response, key !== undefined));
  }

  return {
    async get(path, schema, { abortSignal: signal, user }) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(REGISTRY_TIMEOUT_MS)]);
      let text: Result<string | undefined, string>;
      try {
        text = await answer(path, user.did, limited);
      } catch {
        signal.throwIfAborted();
        return failure(UNREACHABLE);
      }
      if (!text.ok || text.value === undefined) return text as Result<undefined, string>;
      const value = readStoredJson(schema, text.value);
      return value === undefined ? failure(UNREADABLE) : success(value);
    },
  };
}

function refusalOf({ status, headers }: Response, hasKey: boolean): string {
  if (status === 400) return "The domain registry rejected the query; check the DID and the words.";
  if (status === 401 || status === 403) {
    return hasKey
      ? "The domain registry refuses this oracle's key. The operator must set another REGISTRY_READ_KEY."
      : "The domain registry requires a key. The operator must set REGISTRY_READ_KEY.";
  }
  if (status === 429) {
    const seconds = headers.get("Retry-After") ?? "";
    return `The domain registry received too many requests; ask again in ${/^\d{1,4}$/.test(seconds) ? `${seconds} seconds` : "a minute"}.`;
  }
  return UNREACHABLE;
}

/** Counted as it arrives: a declared length may be wrong. */
async function boundedText(response: Response): Promise<Result<string, string>> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES) return failure(TOO_LARGE);
    text += decoder.decode(chunk, { stream: true });
  }
  return success(text + decoder.decode());
}
