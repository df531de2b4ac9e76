/**
 * State that the followers of one isolate share: one look at the feed per interval, the pages that it finds, and the
 * number of places. The database runs two short queries a second, however many streams and long polls there are.
 */
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import { createSharedLookups } from "../../../platform/auth/shared-lookups.ts";
import type { FeedPage } from "../store/change-store.ts";
import { LOOK_INTERVAL } from "./follow.ts";

/**
 * Streams and waiting long polls per key and isolate: enough for a dozen services of one programme and their restarts.
 */
export const FOLLOWERS_PER_KEY = 20;
/** Followers of all keys per isolate. Each holds one page of at most 4 MB, in practice a few KB. */
export const FOLLOWERS_PER_ISOLATE = 500;
/** Milliseconds that a place outlives its follower's last look, because the platform may end a request silently. */
export const PLACE_LIFETIME = 60_000;
/** Pages that are cached for the other followers of a look. */
const SHARED_PAGES = 4;
/** Seconds before a client without a place may retry. */
export const NO_PLACE_RETRY_AFTER = 10;

/** The feed in the database. */
export interface StoredFeed {
  readonly newest: () => Promise<number>;
  readonly read: (after: number, limit: number) => Promise<FeedPage>;
}

/** A place among the followers. */
export interface Place {
  /** Reports that the follower still exists. */
  readonly renew: () => void;
  readonly leave: () => void;
}

export interface SharedFeed {
  /** Milliseconds until the next look. */
  readonly dueIn: () => number;
  /** The seq of the newest change at the latest look. `charge` is called if this caller makes the look. */
  readonly newest: (charge: () => void) => Promise<number>;
  /** The changes after `after`. A look has shown that they reach `newest`. */
  readonly read: (after: number, limit: number, newest: number, charge: () => void) => Promise<FeedPage>;
  /** Returns `key` or `isolate` if that limit is reached. */
  readonly join: (keyId: string) => Place | "key" | "isolate";
}

/** `clock` returns milliseconds since 1970. */
export function createSharedFeed(stored: StoredFeed, clock: () => number): SharedFeed {
  let look = { newest: 0, until: -Infinity };
  const looks = createSharedLookups<number>(clock);
  const reads = createSharedLookups<FeedPage>(clock);
  const pages = createExpiringCache<FeedPage>(SHARED_PAGES, clock);
  /** The time at which each place ends unless it is renewed, with its key. */
  const places = new Map<object, { readonly keyId: string; until: number }>();

  function join(keyId: string): Place | "key" | "isolate" {
    const now = clock();
    for (const [id, { until }] of places) if (until <= now) places.delete(id);
    if (places.size >= FOLLOWERS_PER_ISOLATE) return "isolate";
    const own = [...places.values()].filter((place) => place.keyId === keyId);
    if (own.length >= FOLLOWERS_PER_KEY) return "key";
    const id = {};
    const renew = (): void => void places.set(id, { keyId, until: clock() + PLACE_LIFETIME });
    renew();
    return { renew, leave: () => void places.delete(id) };
  }

  return {
    join,
    dueIn: () => Math.max(0, look.until - clock()),
    async newest(charge) {
      if (clock() < look.until) return look.newest;
      return looks("newest", async () => {
        charge();
        const until = clock() + LOOK_INTERVAL;
        const newest = await stored.newest();
        look = { newest, until };
        return newest;
      });
    },
    async read(after, limit, newest, charge) {
      const key = `${after} ${limit} ${newest}`;
      const known = pages.get(key);
      if (known !== undefined) return known;
      return reads(key, async () => {
        charge();
        const page = await stored.read(after, limit);
        pages.set(key, page, clock() + LOOK_INTERVAL);
        return page;
      });
    },
  };
}
