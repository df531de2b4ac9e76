/**
 * What plugins have read of what they keep for the user, in the memory of the session's object. A read counts as long as the
 * user's object names the same revision: every write of a plugin for that user, in any session, makes another one. Without a
 * revision, as in a recovered turn, everything is read.
 */

/** How long a read counts at most, milliseconds. */
export const KEPT_READ_MS = 60_000;
/** How many reads a session keeps; with one more it forgets them all. */
export const KEPT_READS = 32;

export interface KeptReads {
  /** What `read` comes to, or came to at this revision. What it rejects with is not kept. */
  get<Value>(revision: string | undefined, key: string, read: () => Promise<Value>): Promise<Value>;
}

interface KeptRead {
  readonly revision: string;
  readonly until: number;
  readonly value: unknown;
}

/** `now`: Unix milliseconds. */
export function createKeptReads(now: () => number): KeptReads {
  const kept = new Map<string, KeptRead>();
  return {
    async get<Value>(revision: string | undefined, key: string, read: () => Promise<Value>): Promise<Value> {
      if (revision === undefined) return read();
      const known = kept.get(key);
      if (known !== undefined && known.revision === revision && now() < known.until) return known.value as Value;
      const until = now() + KEPT_READ_MS;
      const value = await read();
      if (kept.size >= KEPT_READS && !kept.has(key)) kept.clear();
      kept.set(key, { revision, until, value });
      return value;
    },
  };
}
