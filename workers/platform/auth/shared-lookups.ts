/**
 * One lookup for all requests of an isolate that want to know the same thing at once. A lookup belongs to the request
 * that began it and, when that one is cancelled, is cancelled silently with it, so others wait only for the time limit.
 * The first of them to reach it starts a new lookup for all.
 */
import { readBody } from "../http/body.ts";
import { parseJson } from "../json.ts";
import { type Result, failure, success } from "../result.ts";
import { createExpiringCache } from "./verification-cache.ts";

/** Milliseconds. */
export const LOOKUP_PATIENCE = 1_000;
/** Lookups under way per isolate; beyond that the oldest is no longer shared. */
const CAPACITY = 4_096;

export type SharedLookups<Value> = (key: string, lookUp: () => Promise<Value>) => Promise<Value>;

/** Calls `ring` once after so many milliseconds, unless what it answers is called before. */
type After = (milliseconds: number, ring: () => void) => () => void;

const inRealTime: After = (milliseconds, ring) => {
  const timer = setTimeout(ring, milliseconds);
  return () => clearTimeout(timer);
};

/** `clock` answers milliseconds since 1970. */
export function createSharedLookups<Value>(clock: () => number, after: After = inRealTime): SharedLookups<Value> {
  const underWay = createExpiringCache<Promise<Value>>(CAPACITY, clock);

  async function begin(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const lookup = lookUp();
    underWay.set(key, lookup, clock() + LOOKUP_PATIENCE);
    try {
      return await lookup;
    } finally {
      if (underWay.get(key) === lookup) underWay.delete(key);
    }
  }

  return async (key, lookUp) => {
    for (;;) {
      const lookup = underWay.get(key);
      if (lookup === undefined) return begin(key, lookUp);
      const outcome = await patiently(lookup, after);
      if (outcome !== undefined) return outcome.value;
      if (underWay.get(key) === lookup) underWay.delete(key);
    }
  };
}

/** What the lookup comes to, or undefined after the time limit. */
async function patiently<Value>(lookup: Promise<Value>, after: After): Promise<{ value: Value } | undefined> {
  const silence = Promise.withResolvers<undefined>();
  const callOff = after(LOOKUP_PATIENCE, () => silence.resolve(undefined));
  try {
    return await Promise.race([lookup.then((value) => ({ value })), silence.promise]);
  } finally {
    callOff();
  }
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface FetchLimits {
  readonly milliseconds: number;
  /** Bytes of the response's body. */
  readonly bytes: number;
}

/** The parsed body of a 200; redirects are not followed, since they would leave the host that was configured. */
export async function fetchJson(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  limits: FetchLimits,
): Promise<Result<unknown, "unavailable">> {
  try {
    const signal = AbortSignal.timeout(limits.milliseconds);
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      return failure("unavailable");
    }
    const text = await readBody(response, limits.bytes);
    const parsed = text.ok ? parseJson(text.value) : text;
    return parsed.ok ? success(parsed.value) : failure("unavailable");
  } catch {
    return failure("unavailable"); // refused, reset or out of time
  }
}
