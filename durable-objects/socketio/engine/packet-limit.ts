/**
 * How many packets a client may send: a bucket of `burst` packets per session that fills up again by `perSecond`. It is
 * in memory alone. An eviction fills it, which no flood can use: an object that is being sent packets is not evicted.
 */
import type { PacketRate } from "../options.ts";

interface Bucket {
  left: number;
  /** Unix milliseconds of the last packet. */
  at: number;
}

const MS_PER_SECOND = 1000;

/** @param rate undefined: every packet is taken. */
export function createPacketLimit(rate: PacketRate | undefined, now: () => number) {
  const buckets = new Map<string, Bucket>();

  return {
    /** @returns false for a packet too many. */
    take(sid: string): boolean {
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
