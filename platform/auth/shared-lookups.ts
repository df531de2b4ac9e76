/**
 * One lookup for all concurrent requests of an isolate with one question. A lookup belongs to the request that began
 * it: when that request is cancelled, its lookup ends without a result. So while a lookup has been silent for a second,
 * one of the waiting requests begins another in parallel, and all of them use the first result.
 */
import { readBody } from "../http/body.ts";
import { parseJson } from "../json.ts";
import { type Result, failure, success } from "../result.ts";

/** Milliseconds of silence after which a waiting request begins another lookup. */
export const LOOKUP_PATIENCE = 1_000;
/** Keys with a running lookup, per isolate; beyond that the oldest is no longer shared. */
const CAPACITY = 4_096;

export type SharedLookups<Value> = (key: string, lookUp: () => Promise<Value>) => Promise<Value>;

/** Calls `ring` once after the delay, unless the returned function is called first. */
export type After = (milliseconds: number, ring: () => void) => () => void;

export const inRealTime: After = (milliseconds, ring) => {
  const timer = setTimeout(ring, milliseconds);
  return () => clearTimeout(timer);
};

/** The lookups of one key: the first that settles answers for all. */
interface Group<Value> {
  readonly first: PromiseWithResolvers<Value>;
  /** When the newest one began, milliseconds since 1970. */
  begunAt: number;
}

/** `clock` returns milliseconds since 1970. */
export function createSharedLookups<Value>(clock: () => number, after: After = inRealTime): SharedLookups<Value> {
  const groups = new Map<string, Group<Value>>();

  function open(key: string): Group<Value> {
    const group = { first: Promise.withResolvers<Value>(), begunAt: -Infinity };
    groups.set(key, group);
    const oldest = groups.keys().next();
    if (groups.size > CAPACITY && oldest.done !== true) groups.delete(oldest.value);
    return group;
  }

  async function begin(key: string, group: Group<Value>, lookUp: () => Promise<Value>): Promise<Value> {
    group.begunAt = clock();
    try {
      const value = await Promise.race([lookUp(), group.first.promise]);
      group.first.resolve(value);
      return value;
    } catch (thrown) {
      group.first.reject(thrown);
      throw thrown;
    } finally {
      if (groups.get(key) === group) groups.delete(key);
    }
  }

  return async (key, lookUp) => {
    const group = groups.get(key) ?? open(key);
    for (;;) {
      const patience = group.begunAt + LOOKUP_PATIENCE - clock();
      if (patience <= 0) return begin(key, group, lookUp);
      const outcome = await patiently(group.first.promise, patience, after);
      if (outcome !== undefined) return outcome.value;
    }
  };
}

/** The promise's value, or undefined after this many milliseconds. */
async function patiently<Value>(
  promise: Promise<Value>,
  milliseconds: number,
  after: After,
): Promise<{ value: Value } | undefined> {
  const silence = Promise.withResolvers<undefined>();
  const callOff = after(milliseconds, () => silence.resolve(undefined));
  try {
    return await Promise.race([promise.then((value) => ({ value })), silence.promise]);
  } finally {
    callOff();
  }
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface FetchLimits {
  readonly milliseconds: number;
  /** Maximum bytes of the response's body. */
  readonly bytes: number;
}

/** The parsed body of a 200; redirects are not followed, because they would leave the configured host. */
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
    return failure("unavailable"); // refused, reset or timed out
  }
}
