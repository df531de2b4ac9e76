/**
 * Batches of claims over a real database: each claim is sent by one batch, retried with its key if the outcome is unknown, and finally
 * a dead letter.
 */
import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import { createLogger } from "../../../platform/log.ts";
import { failure, success } from "../../../platform/result.ts";
import { openClaim } from "../credits/claims-table.ts";
import { BATCH_TIME_MS, sendBatch, SENT_AT_ONCE } from "./batch.ts";
import {
  ATTEMPTS,
  BATCH_SIZE,
  createDeliveryTable,
  FIRST_PAUSE_MS,
  LEASE_MS,
  LONGEST_PAUSE_MS,
  pauseAfter,
} from "./delivery-table.ts";
import { createSender, SEND_TIME_LIMIT_MS, type Send } from "./sender.ts";

async function deliveryOf(count: number) {
  const database = testDatabase(["0009_claims.sql"]);
  const createdAt = "2026-01-01T00:00:00.000Z";
  for (let index = 0; index < count; index += 1)
    await openClaim(database, { payer: `did:key:z${index % 2}`, runId: `run-${index}`, amount: index, createdAt });
  const table = createDeliveryTable(database);
  const reports: string[] = [];
  const state = { time: 1_000, batches: 0 };
  const batch = (send: Send | undefined) =>
    sendBatch({
      table,
      send,
      reported: async (claims) => void reports.push(...claims.map(({ run_id }) => run_id)),
      now: () => state.time,
      newId: () => `batch-${(state.batches += 1)}`,
      log: createLogger({}, () => undefined),
    });
  return { database, table, reports, state, batch };
}

it("without a receiver, claims are marked, at most a hundred per batch, each once [OR-351]", async () => {
  const { batch, reports } = await deliveryOf(BATCH_SIZE + 5);
  expect(BATCH_SIZE).toBe(100);
  expect(await batch(undefined)).toEqual({ processed: 100, failed: 0, remaining: 5 });
  expect(await batch(undefined)).toEqual({ processed: 5, failed: 0, remaining: 0 });
  expect(await batch(undefined)).toEqual({ processed: 0, failed: 0, remaining: 0 });
  expect(new Set(reports).size).toBe(105);
});

it("two concurrent batches send different claims [OR-351]", async () => {
  const { batch } = await deliveryOf(30);
  const sent: string[] = [];
  const send: Send = async ({ id }) => {
    sent.push(id);
    return success(null);
  };
  const outcomes = await Promise.all([batch(send), batch(send), batch(send)]);
  expect(outcomes.reduce((sum, { processed }) => sum + processed, 0)).toBe(30);
  expect(sent).toHaveLength(30);
  expect(new Set(sent).size).toBe(30);
});

it("a claim that was sent and not marked is sent again after its lease, with its id [OR-352]", async () => {
  const { batch, state } = await deliveryOf(1);
  const sent: string[] = [];
  const dies: Send = async ({ id }) => {
    sent.push(id);
    throw new Error("killed");
  };
  await expect(batch(dies)).rejects.toThrow("killed");
  state.time += LEASE_MS - 1;
  const works: Send = async ({ id }) => {
    sent.push(id);
    return success(null);
  };
  expect(await batch(works)).toEqual({ processed: 0, failed: 0, remaining: 1 });
  state.time += 1;
  expect(await batch(works)).toEqual({ processed: 1, failed: 0, remaining: 0 });
  expect(sent).toHaveLength(2);
  expect(new Set(sent).size).toBe(1);
});

it("a failed claim waits longer each time, and after 16 attempts is a dead letter until it is retried [OR-353]", async () => {
  expect([ATTEMPTS, FIRST_PAUSE_MS, LONGEST_PAUSE_MS]).toEqual([16, 60_000, 43_200_000]);
  expect([1, 2, 3, 10, 11, 16].map(pauseAfter)).toEqual([60_000, 120_000, 240_000, 30_720_000, 43_200_000, 43_200_000]);
  const { batch, state, table } = await deliveryOf(1);
  const fails: Send = async () => failure(503);
  for (let made = 1; made <= ATTEMPTS; made += 1) {
    expect(await batch(fails)).toMatchObject({ failed: 1 });
    state.time += pauseAfter(made) - 1;
    expect(await batch(fails)).toMatchObject({ failed: 0 });
    state.time += 1;
  }
  state.time += LONGEST_PAUSE_MS;
  expect(await batch(fails)).toEqual({ processed: 0, failed: 0, remaining: 0 });
  const [dead] = await table.dead();
  expect(dead).toMatchObject({ reason: "status 503" });
  await table.retry([dead?.id ?? ""]);
  expect(await batch(async () => success(null))).toEqual({ processed: 1, failed: 0, remaining: 0 });
  expect(await table.dead()).toEqual([]);
});

it("a slow receiver ends the batch in time; claims that were not begun are free for the next batch [OR-351]", async () => {
  expect([BATCH_TIME_MS, SENT_AT_ONCE, SEND_TIME_LIMIT_MS]).toEqual([15_000, 5, 10_000]);
  // A schedule is aborted after 30 seconds, and a lease outlives its batch.
  expect(BATCH_TIME_MS + SEND_TIME_LIMIT_MS).toBeLessThan(30_000);
  expect(LEASE_MS).toBeGreaterThan(BATCH_TIME_MS + SEND_TIME_LIMIT_MS);
  const { batch, state } = await deliveryOf(40);
  const slow: Send = async () => {
    state.time += 1_000;
    return success(null);
  };
  const first = await batch(slow);
  expect(first.processed).toBeGreaterThanOrEqual(15);
  expect(first.processed).toBeLessThanOrEqual(15 + SENT_AT_ONCE);
  const second = await batch(async () => success(null));
  expect(first.processed + second.processed).toBe(40);
});

it("a claim that was settled meanwhile stays settled, and settling reports to the ledger [OR-354]", async () => {
  const { batch, table, database } = await deliveryOf(2);
  const { results } = await database.prepare("SELECT id FROM claims ORDER BY run_id").all<{ id: string }>();
  const ids = results.map(({ id }) => id);
  const paidMeanwhile: Send = async ({ id }) => {
    expect(await table.settle([id])).toHaveLength(1);
    return success(null);
  };
  await batch(paidMeanwhile);
  const { results: rows } = await database.prepare("SELECT DISTINCT status FROM claims").all();
  expect(rows).toEqual([{ status: "settled" }]);
  expect(await table.settle([...ids, "claim_unknown"])).toHaveLength(2);
});

it("the request has the claim's id as its key, credits as a number and the bearer token, and follows no redirect [OR-352]", async () => {
  const requests: { url: string; init: RequestInit }[] = [];
  const answers = [
    new Response("{}", { status: 201 }),
    new Response(null, { status: 302 }),
    new Response("", { status: 500 }),
  ];
  const send = createSender({
    url: "https://claims.example/in",
    token: "t",
    fetch: async (url, init) => {
      requests.push({ url, init });
      return answers.shift() ?? Promise.reject(new DOMException("late", "TimeoutError"));
    },
  });
  const claim = { id: "claim_1", payer: "did:key:z1", runId: "r", amount: 0.5, createdAt: "2026-01-01T00:00:00.000Z" };
  expect(await send(claim)).toEqual(success(null));
  expect([await send(claim), await send(claim), await send(claim)]).toEqual([
    failure(302),
    failure(500),
    failure("timeout"),
  ]);
  expect(requests[0]).toMatchObject({
    url: "https://claims.example/in",
    init: { method: "POST", redirect: "manual", headers: { "Idempotency-Key": "claim_1", Authorization: "Bearer t" } },
  });
  expect(JSON.parse(String(requests[0]?.init.body))).toEqual(claim);
});
