/**
 * Cached responses: in the isolate's memory, and then in the platform's cache if there is one. A key includes
 * everything on which a response depends, above all the height.
 */
import { hexOf, sha256 } from "../../../platform/digest.ts";

/** A finished response: the parts of an HTTP response. */
export interface GatewayAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly etag: string;
  readonly cacheControl: string;
  readonly height?: string;
}

export interface Lifetime {
  /** Unix milliseconds. */
  readonly storedAt: number;
  /** How long it is fresh. */
  readonly seconds: number;
  /** How long after that it can still be served stale. */
  readonly staleSeconds: number;
}

export interface CachedAnswer extends Lifetime {
  readonly answer: GatewayAnswer;
}

export interface AnswerCache {
  readonly get: (key: string) => Promise<CachedAnswer | undefined>;
  /** Resolves when the platform has stored it; callers need not wait. */
  readonly put: (key: string, answer: GatewayAnswer, lifetime: Lifetime) => Promise<void>;
}

/** Bytes in memory: a tenth of an isolate's. Keys count, because callers choose their length. */
const MEMORY_BYTES = 12_000_000;
/** A larger body is left to the platform's cache. */
const GREATEST_IN_MEMORY = 1_000_000;
/** Approximate bytes of an entry without its body and key: a caller can create many tiny ones. */
const ENTRY_BYTES = 500;
/** Never requested: a cache requires URLs as keys. */
const KEY_ORIGIN = "https://answers.query-gateway.invalid/";
const HEIGHT = "X-Height";

/** `clock` in Unix milliseconds. */
export function createAnswerCache(
  clock: () => number,
  platform: () => Pick<Cache, "match" | "put"> | undefined,
): AnswerCache {
  const entries = new Map<string, CachedAnswer>();
  let held = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    held -= sizeOf(key, entry.answer);
    entries.delete(key);
  }

  function remember(key: string, cached: CachedAnswer): void {
    drop(key);
    if (cached.answer.body.byteLength > GREATEST_IN_MEMORY) return;
    entries.set(key, cached);
    held += sizeOf(key, cached.answer);
    for (const oldest of entries.keys()) {
      if (held <= MEMORY_BYTES) return;
      drop(oldest);
    }
  }

  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry !== undefined && clock() < endOf(entry)) return entry;
      drop(key);
      const response = await platform()?.match(await addressOf(key));
      if (response === undefined) return undefined;
      const cached = await read(response);
      if (!(clock() < endOf(cached))) return undefined;
      remember(key, cached);
      return cached;
    },
    async put(key, answer, lifetime) {
      const cached = { answer, ...lifetime };
      remember(key, cached);
      await platform()?.put(await addressOf(key), written(cached));
    },
  };
}

function sizeOf(key: string, { body }: GatewayAnswer): number {
  return key.length + body.byteLength + ENTRY_BYTES;
}

async function addressOf(key: string): Promise<string> {
  return KEY_ORIGIN + hexOf(await sha256(key));
}

/** Unix milliseconds. */
function endOf({ storedAt, seconds, staleSeconds }: Lifetime): number {
  return storedAt + (seconds + staleSeconds) * 1000;
}

/** Always a 200 that can be stored: the status and headers of the response itself are in separate headers. */
function written({ answer, storedAt, seconds, staleSeconds }: CachedAnswer): Response {
  const { status, contentType, body, etag, cacheControl, height } = answer;
  const headers = new Headers({
    "Cache-Control": `public, max-age=${seconds + staleSeconds}`,
    "Content-Type": contentType,
    "X-Status": String(status),
    "X-ETag": etag,
    "X-Cache-Control": cacheControl,
    "X-Stored-At": String(storedAt),
    "X-Seconds": String(seconds),
    "X-Stale-Seconds": String(staleSeconds),
  });
  if (height !== undefined) headers.set(HEIGHT, height);
  return new Response(body, { headers });
}

async function read(response: Response): Promise<CachedAnswer> {
  const { headers } = response;
  const height = headers.get(HEIGHT);
  const numberIn = (name: string): number => Number(headers.get(name) ?? Number.NaN);
  return {
    storedAt: numberIn("X-Stored-At"),
    seconds: numberIn("X-Seconds"),
    staleSeconds: numberIn("X-Stale-Seconds"),
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
