/**
 * Answers that may be given again (contract D, section 12): in the isolate's memory, and behind it in the platform's cache
 * where there is one. A key names everything that an answer depends on, the height above all.
 */
import { hexOf, sha256 } from "../../platform/digest.ts";

export interface StoredAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly etag: string;
  readonly cacheControl: string;
  readonly height?: string;
}

export interface AnswerCache {
  readonly get: (key: string) => Promise<StoredAnswer | undefined>;
  /** `seconds` from now on it is gone. The promise settles when the platform has it; nobody needs to wait. */
  readonly put: (key: string, answer: StoredAnswer, seconds: number) => Promise<void>;
}

/** Bytes in memory: a tenth of what an isolate has. Keys count, since callers choose how long they are. */
const MEMORY_BYTES = 12_000_000;
/** A greater body is left to the platform's cache. */
const GREATEST_IN_MEMORY = 1_000_000;
/** Bytes of an entry beside its body and its key, about: a caller may make many of almost nothing. */
const ENTRY_BYTES = 500;
/** The host is never asked: a cache takes URLs as keys. */
const KEY_ORIGIN = "https://answers.query-gateway.invalid/";
const HEIGHT = "X-Height";

/** `clock` in Unix milliseconds. */
export function createAnswerCache(
  clock: () => number,
  platform: () => Pick<Cache, "match" | "put"> | undefined,
): AnswerCache {
  const entries = new Map<string, { readonly answer: StoredAnswer; readonly until: number }>();
  let held = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    held -= sizeOf(key, entry.answer);
    entries.delete(key);
  }

  function remember(key: string, answer: StoredAnswer, until: number): void {
    drop(key);
    if (answer.body.byteLength > GREATEST_IN_MEMORY) return;
    entries.set(key, { answer, until });
    held += sizeOf(key, answer);
    for (const oldest of entries.keys()) {
      if (held <= MEMORY_BYTES) return;
      drop(oldest);
    }
  }

  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry !== undefined && clock() < entry.until) return entry.answer;
      drop(key);
      const response = await platform()?.match(await addressOf(key));
      if (response === undefined) return undefined;
      const { answer, until } = await read(response);
      if (clock() >= until) return undefined;
      remember(key, answer, until);
      return answer;
    },
    async put(key, answer, seconds) {
      const until = clock() + seconds * 1000;
      remember(key, answer, until);
      await platform()?.put(await addressOf(key), written(answer, until, seconds));
    },
  };
}

function sizeOf(key: string, { body }: StoredAnswer): number {
  return key.length + body.byteLength + ENTRY_BYTES;
}

async function addressOf(key: string): Promise<string> {
  return KEY_ORIGIN + hexOf(await sha256(key));
}

/** Always a 200 that may be stored: the status and the header of the answer itself travel beside. */
function written(
  { status, contentType, body, etag, cacheControl, height }: StoredAnswer,
  until: number,
  seconds: number,
) {
  const headers = new Headers({
    "Cache-Control": `public, max-age=${seconds}`,
    "Content-Type": contentType,
    "X-Status": String(status),
    "X-ETag": etag,
    "X-Cache-Control": cacheControl,
    "X-Until": String(until),
  });
  if (height !== undefined) headers.set(HEIGHT, height);
  return new Response(body, { headers });
}

async function read(response: Response): Promise<{ answer: StoredAnswer; until: number }> {
  const { headers } = response;
  const height = headers.get(HEIGHT);
  return {
    until: Number(headers.get("X-Until")),
    answer: {
      status: Number(headers.get("X-Status")),
      contentType: headers.get("Content-Type") ?? "",
      etag: headers.get("X-ETag") ?? "",
      cacheControl: headers.get("X-Cache-Control") ?? "",
      body: new Uint8Array(await response.arrayBuffer()),
      ...(height !== null && { height }),
    },
  };
}
