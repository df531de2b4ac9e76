/** Polling that followers of one isolate share, and the limits on their number. */
import { expect, test } from "vitest";
import type { FeedChange } from "../store/change-store.ts";
import { LOOK_INTERVAL } from "./follow.ts";
import { createSharedFeed, FOLLOWERS_PER_ISOLATE, FOLLOWERS_PER_KEY, PLACE_LIFETIME } from "./shared-feed.ts";

function setUp() {
  const clock = { now: 0 };
  const database = { length: 3, looks: 0, reads: 0 };
  const shared = createSharedFeed(
    {
      newest: async () => {
        database.looks += 1;
        return database.length;
      },
      read: async (after, limit) => {
        database.reads += 1;
        const count = Math.min(limit, database.length - after);
        const changes = Array.from({ length: count }, (_, at) => ({ seq: after + at + 1 }) as FeedChange);
        return { changes, newest: database.length };
      },
    },
    () => clock.now,
  );
  return { clock, database, shared };
}

test("all followers share one look per interval, which is charged once [RG-163]", async () => {
  const { clock, database, shared } = setUp();
  let charged = 0;
  const looks = () => Promise.all(Array.from({ length: 300 }, () => shared.newest(() => (charged += 1))));
  expect(new Set(await looks())).toEqual(new Set([3]));
  expect([database.looks, charged, shared.dueIn()]).toEqual([1, 1, LOOK_INTERVAL]);
  database.length = 4;
  clock.now = LOOK_INTERVAL - 1;
  expect(new Set(await looks())).toEqual(new Set([3]));
  clock.now = LOOK_INTERVAL;
  expect(new Set(await looks())).toEqual(new Set([4]));
  expect([database.looks, charged]).toEqual([2, 2]);
});

test("followers at one position share the page that a look finds; a later look reads a new page [RG-163]", async () => {
  const { database, shared } = setUp();
  let charged = 0;
  const read = (after: number, newest: number) => shared.read(after, 2, newest, () => (charged += 1));
  const pages = await Promise.all(Array.from({ length: 300 }, () => read(1, 3)));
  expect(new Set(pages.map(({ changes }) => changes.map(({ seq }) => seq).join()))).toEqual(new Set(["2,3"]));
  await read(1, 3);
  expect([database.reads, charged]).toEqual([1, 1]);
  database.length = 5;
  expect((await read(3, 5)).changes.map(({ seq }) => seq)).toEqual([4, 5]);
  expect([database.reads, charged]).toEqual([2, 2]);
});

test("a key has 20 places and an isolate 500; a place is freed when its follower leaves or has not renewed it for a minute [RG-164]", () => {
  const { clock, shared } = setUp();
  expect([FOLLOWERS_PER_KEY, FOLLOWERS_PER_ISOLATE]).toEqual([20, 500]);
  const own = Array.from({ length: FOLLOWERS_PER_KEY }, () => shared.join("one"));
  expect(shared.join("one")).toBe("key");
  expect(typeof shared.join("other")).toBe("object");
  const [first, second] = own;
  if (typeof first !== "object" || typeof second !== "object") throw new Error("no place in an empty isolate");
  first.leave();
  first.leave();
  expect(typeof shared.join("one")).toBe("object");
  expect(shared.join("one")).toBe("key");
  clock.now = PLACE_LIFETIME - 1;
  second.renew();
  expect(shared.join("one")).toBe("key");
  clock.now = PLACE_LIFETIME;
  const rest = Array.from({ length: FOLLOWERS_PER_KEY - 1 }, () => shared.join("one"));
  expect(rest.every((place) => typeof place === "object")).toBe(true);
  expect(shared.join("one")).toBe("key");
  for (let at = 0; at < FOLLOWERS_PER_ISOLATE - FOLLOWERS_PER_KEY; at += 1) shared.join(`key ${at}`);
  expect(shared.join("late")).toBe("isolate");
});
