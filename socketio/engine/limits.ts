/** Limits of one client: how much may wait for it, and how many packets it may send. */
import type { PacketRate } from "../options.ts";

/** How long a client with more than `maxBufferedBytes` waiting has to confirm some of it, milliseconds. */
const CATCH_UP_MS = 10_000;
/** Multiplied by `maxBufferedBytes`: the memory limit of a client, however recent the data is. */
const BURST_FACTOR = 3;

/**
 * A client that reads needs a moment to confirm: a burst of large events within one turn of the event loop leaves no time
 * for a pong, so size alone does not make a client too slow.
 * @param waiting the data that the client has not confirmed or fetched, bytes.
 * @param waitingMs since the client was last asked to confirm, or last fetched something.
 */
export function isTooSlow(waiting: number, waitingMs: number, maxBufferedBytes: number): boolean {
  if (waiting > maxBufferedBytes * BURST_FACTOR) return true;
  return waiting > maxBufferedBytes && waitingMs >= CATCH_UP_MS;
}

const MS_PER_SECOND = 1000;

/**
 * A token bucket per session, in memory only. An eviction refills it, but an object that receives packets is not evicted.
 * @param rate undefined: no limit.
 */
export function createPacketLimit(rate: PacketRate | undefined, now: () => number) {
  const buckets = new Map<string, { left: number; at: number }>();

  return {
    /** Counts a packet. @returns false if it exceeds the limit. */
    allows(sid: string): boolean {
      if (rate === undefined) return true;
      const at = now();
      const bucket = buckets.get(sid) ?? { left: rate.burst, at };
      const gained = (Math.max(0, at - bucket.at) * rate.perSecond) / MS_PER_SECOND;
      bucket.left = Math.min(rate.burst, bucket.left + gained) - 1;
      bucket.at = at;
      buckets.set(sid, bucket);
      return bucket.left >= 0;
    },
    forget: (sid: string) => void buckets.delete(sid),
  };
}
