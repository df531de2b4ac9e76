/**
 * What the followers of one isolate share: one look at the feed in each interval, the pages that it leads to, and the number of
 * places. However many streams and long polls follow, the database answers two short queries a second for them.
 */
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import { createSharedLookups } from "../../../platform/auth/shared-lookups.ts";
import type { FeedPage } from "../store/change-store.ts";
import { LOOK_INTERVAL } from "./follow.ts";

/** Streams and waiting long polls of one key, in one isolate: a dozen services of one programme, and their restarts. */
export const FOLLOWERS_PER_KEY = 20;
/** Of all keys, in one isolate: each holds one page, at most 4 MB, and in practice a few KB. */
export const FOLLOWERS_PER_ISOLATE = 500;
/** Milliseconds that a place outlives the last look of its follower: the platform may end a request without a word. */
export const PLACE_LIFETIME = 60_000;
/** Pages that are kept for the other followers of the same look. */
const SHARED_PAGES = 4;
/** Seconds after which a client that found no place may come again. */
export const NO_PLACE_RETRY_AFTER = 10;

/** The feed in the database. */
export interface StoredFeed {
  readonly newest: () => Promise<number>;
  readonly read: (after: number, limit: number) => Promise<FeedPage>;
}

/** A place among the followers. */
export interface Place {
  /** The follower is still there. */
  readonly renew: () => void;
  readonly leave: () => void;
}

export interface SharedFeed {
  /** Milliseconds until the next look. */
  readonly dueIn: () => number;
  /** The seq of the newest change at the latest look. `charge` is called if this caller makes the look. */
  readonly newest: (charge: () => void) => Promise<number>;
  /** The changes behind `after`, of which a look has shown that they reach `newest`. */
  readonly read: (after: number, limit: number, newest: number, charge: () => void) => Promise<FeedPage>;
  /** `key` and `isolate`: that many follow already. */
  readonly join: (keyId: string) => Place | "key" | "isolate";
}

/** `clock` returns milliseconds since 1970. */
export function createSharedFeed(stored: StoredFeed, clock: () => number): SharedFeed {
  let look = { newest: 0, until: -Infinity };
  const looks = createSharedLookups<number>(clock);
  const reads = createSharedLookups<FeedPage>(clock);
  const pages = createExpiringCache<FeedPage>(SHARED_PAGES, clock);
  /** When each place ends unless it is renewed, with its key. */
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
