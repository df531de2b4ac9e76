/** Reservations of a day's tokens by running turns, over real SQL: never more than the limit plus one call. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import { openCounts } from "../../test/support/oracle/tokens-of-day.ts";
import { FIRST_GRANT_TOKENS, GRANT_LIFETIME_MS } from "./counts.ts";
import type { TokenRequest } from "../../oracle/user-vault-rpc.ts";

const NOON = Date.parse("2026-11-21T12:00:00.000Z");
const MIDNIGHT = Date.parse("2026-11-22T00:00:00.000Z");
const limits = (tokens: number, running = 0) => ({ turns: 0, tokens, running });

function wanted(most: number, change: Partial<TokenRequest> = {}): TokenRequest {
  return { most, least: most, used: 0, since: NOON, isTurn: true, ...change };
}

describe("running turns reserve the day's tokens [OR-453]", () => {
  test("when they are counted; reserved tokens are not granted twice, and are available again after the turn has ended", () => {
    const counts = openCounts();
    const until = NOON + GRANT_LIFETIME_MS;
    const limit = FIRST_GRANT_TOKENS + 1;
    expect(counts.reserve("1", limits(limit), NOON)).toEqual({
      reserved: true,
      grant: { tokens: FIRST_GRANT_TOKENS, until },
    });
    expect(counts.reserve("2", limits(limit), NOON)).toEqual({ reserved: true, grant: { tokens: 1, until } });
    expect(counts.reserve("3", limits(limit), NOON)).toEqual({
      reserved: false,
      exhausted: "reserved",
      limit,
      retryAfter: 10,
    });
    counts.record({ runKey: "1", tokens: 100 }, NOON);
    expect(counts.reserve("3", limits(limit), NOON)).toMatchObject({ grant: { tokens: FIRST_GRANT_TOKENS - 100 } });
    counts.release("3");
    counts.record({ runKey: "2", tokens: limit }, NOON);
    expect(counts.reserve("4", limits(limit), NOON)).toMatchObject({ reserved: false, exhausted: "tokens" });
  });

  test("more for a longer request, replacing the earlier reservation; only the remaining tokens, but at least the required ones", () => {
    const counts = openCounts();
    const reserve = (run: string, request: TokenRequest) => counts.reserveTokens(run, request, 100_000, NOON)?.tokens;
    counts.reserve("1", limits(100_000), NOON);
    expect(reserve("1", wanted(50_000))).toBe(50_000);
    expect(reserve("1", wanted(60_000, { used: 50_000 }))).toBe(60_000);
    expect(reserve("2", wanted(60_000, { least: 10_000 }))).toBe(40_000);
    // The last reservation may exceed the limit; the next one gets nothing.
    expect(reserve("1", wanted(70_000, { used: 59_999 }))).toBe(70_000);
    expect(reserve("1", wanted(70_000, { used: 60_000 }))).toBeUndefined();
    expect(reserve("3", wanted(1))).toBeUndefined();
  });

  test("until the reservation expires without renewal, even if the object was lost meanwhile", () => {
    const storage = createSqliteStorage();
    openCounts(storage).reserveTokens("1", wanted(100), 100, NOON);
    const end = NOON + GRANT_LIFETIME_MS;
    expect(openCounts(storage).reserve("2", limits(100), end - 1)).toMatchObject({ exhausted: "reserved" });
    expect(openCounts(storage).reserve("2", limits(100), end)).toMatchObject({ reserved: true });
    const counts = openCounts(storage);
    counts.record({ runKey: "1", tokens: 60 }, NOON);
    expect(counts.reserve("3", limits(100), end)).toMatchObject({ grant: { tokens: 40 } });
  });

  test("on the next day for their usage from then on, without counting as a turn of that day", () => {
    const storage = createSqliteStorage();
    const counts = openCounts(storage);
    counts.reserve("1", limits(100), MIDNIGHT - 1);
    counts.reserveTokens("1", wanted(80, { since: MIDNIGHT - 1 }), 100, MIDNIGHT - 1);
    const since = MIDNIGHT - 1;
    expect(counts.reserve("2", limits(1_000), MIDNIGHT)).toMatchObject({ reserved: true });
    counts.release("2");
    expect(counts.reserveTokens("1", wanted(200, { used: 80, since }), 100, MIDNIGHT)?.tokens).toBe(200);
    counts.record({ runKey: "1", tokens: 130 }, NOON);
    expect(openCounts(storage).reserve("3", { turns: 1, tokens: 100 }, MIDNIGHT)).toMatchObject({
      grant: { tokens: 50 },
    });
  });
});

describe("concurrent turns of a user [OR-455]", () => {
  test("are limited; a turn that has ended, or has not been renewed for half an hour, makes room", () => {
    const counts = openCounts();
    const reserve = (run: string, now = NOON) => counts.reserve(run, limits(0, 2), now);
    expect([reserve("1").reserved, reserve("2").reserved]).toEqual([true, true]);
    expect(reserve("3")).toEqual({ reserved: false, exhausted: "running", limit: 2, retryAfter: 10 });
    counts.record({ runKey: "1", tokens: 5 }, NOON);
    expect(reserve("3").reserved).toBe(true);
    expect(reserve("4").reserved).toBe(false);
    expect(reserve("4", NOON + GRANT_LIFETIME_MS).reserved).toBe(true);
  });

  test("exclude titles", () => {
    const counts = openCounts();
    counts.reserveTokens("title", wanted(10, { isTurn: false }), 1_000, NOON);
    expect(counts.reserve("1", { turns: 1, tokens: 0, running: 1 }, NOON)).toMatchObject({ reserved: true });
  });
});

/** One action of one of several sessions. */
const move = fc.record({
  session: fc.integer({ min: 0, max: 7 }),
  kind: fc.constantFrom("call", "call", "call", "end", "lose"),
  prompt: fc.integer({ min: 1, max: 5_000 }),
  answer: fc.integer({ min: 1, max: 3_000 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

test("a turn of today that the store lost in a kill counts once when it is reported; a turn of an earlier day does not [OR-451]", () => {
  const storage = createSqliteStorage();
  openCounts(storage).reserve("1", limits(100), NOON);
  const counts = openCounts(storage);
  for (const tokens of [50, 60]) counts.record({ runKey: "1", tokens, since: NOON }, NOON + 1);
  counts.record({ runKey: "2", tokens: 7, since: NOON - 86_400_000 }, NOON + 1);
  counts.record({ runKey: "3", tokens: 7 }, NOON + 1);
  expect(counts.reserve("4", { turns: 2, tokens: 100 }, NOON)).toMatchObject({ grant: { tokens: 40 } });
  expect(counts.reserve("5", { turns: 2, tokens: 0 }, NOON)).toMatchObject({ exhausted: "turns" });
});

test("in any order of calls, ends and losses the day's usage never exceeds the limit by more than one call [OR-453]", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 120 }), fc.integer({ min: 1, max: 30_000 }), (moves, limit) => {
      const storage = createSqliteStorage();
      let counts = openCounts(storage);
      const used = new Map<string, number>();
      let largest = 0;
      let runs = 0;
      const running = new Map<number, string>();
      for (const { session, kind, prompt, answer, share } of moves) {
        let run = running.get(session);
        if (kind === "lose") {
          counts.flush();
          counts = openCounts(storage);
        } else if (kind === "end" && run !== undefined) {
          counts.record({ runKey: run, tokens: used.get(run) ?? 0 }, NOON);
          running.delete(session);
        } else if (kind === "call") {
          if (run === undefined) {
            run = `run-${(runs += 1)}`;
            if (!counts.reserve(run, limits(limit), NOON).reserved) continue;
            running.set(session, run);
          }
          const before = used.get(run) ?? 0;
          const least = before + prompt + 1;
          const grant = counts.reserveTokens(
            run,
            wanted(before + prompt + answer, { least, used: before }),
            limit,
            NOON,
          );
          if (grant === undefined) continue;
          // The service respects the grant, and may use all of it.
          const cost = prompt + Math.ceil((grant.tokens - before - prompt) * share);
          largest = Math.max(largest, prompt + 1);
          used.set(run, before + cost);
        }
        const total = [...used.values()].reduce((sum, each) => sum + each, 0);
        expect(total).toBeLessThan(limit + Math.max(1, largest));
      }
    }),
  );
});
