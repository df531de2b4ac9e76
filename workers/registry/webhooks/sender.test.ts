import { testDatabase } from "../../../test/support/storage/test-database.ts";
import { describe, expect, test, vi } from "vitest";
import type { Receiver, AttemptResult } from "../../../durable-objects/outbox/sender.ts";
import { createLogger } from "../../../platform/log.ts";
import { insertWebhook, readWebhook } from "../store/webhook-store.ts";
import { changeMessage, MESSAGE_BYTES } from "./message.ts";
import type { FeedChange } from "../store/change-store.ts";
import { ANSWER_TIME, createWebhookSender } from "./sender.ts";

const NOW = Date.parse("2026-11-21T09:00:00Z");
const url = "https://hooks.example.org/a";
const secrets = [`whsec_${btoa("a secret of 32 bytes for the test")}`];
const attempt = { message: { id: "msg_1", topic: "t", body: "{}" }, number: 1, secrets };

async function receiverOver(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  hosts = ["hooks.example.org"],
) {
  const database = testDatabase();
  const times = { createdAt: 0, updatedAt: 0, disabledAt: null, disabledReason: null };
  const all = { actions: [], domains: [], classes: [] };
  const webhook = { id: "whk_1", url, description: null, enabled: true, createdBy: "did:web:a", ...times, ...all };
  await insertWebhook(database, webhook, 1);
  const log = createLogger({}, () => undefined);
  const sender = createWebhookSender({ database, rule: { hosts, allowsHttp: false }, fetch, clock: () => NOW, log });
  const receiver = await sender.open("webhook:whk_1");
  if (typeof receiver === "string") throw new Error(receiver);
  return { receiver, sender, database };
}

const answering = async (status: number, headers: Record<string, string> = {}) => {
  const { receiver } = await receiverOver(async () => new Response(null, { status, headers }));
  return receiver.send(attempt);
};

describe("one attempt [RG-150, RG-211]", () => {
  test.each<[string, number, Record<string, string>, AttemptResult]>([
    ["success", 200, {}, { kind: "delivered", status: 200 }],
    ["any 2xx", 299, {}, { kind: "delivered", status: 299 }],
    ["a redirect", 302, { Location: "https://evil.test" }, { kind: "failed", reason: "redirect", status: 302 }],
    ["gone", 410, {}, { kind: "off", reason: "gone", status: 410 }],
    ["a refusal", 400, {}, { kind: "refused", reason: "status", status: 400 }],
    ["another refusal", 422, {}, { kind: "refused", reason: "status", status: 422 }],
    ["a timeout of theirs", 408, {}, { kind: "failed", reason: "status", status: 408 }],
    ["too early", 425, {}, { kind: "failed", reason: "status", status: 425 }],
    ["a failure", 500, {}, { kind: "failed", reason: "status", status: 500 }],
    ["seconds", 429, { "Retry-After": "7" }, { kind: "failed", reason: "status", status: 429, retryAfterMs: 7_000 }],
    [
      "a date",
      503,
      { "Retry-After": "Sat, 21 Nov 2026 09:01:00 GMT" },
      { kind: "failed", reason: "status", status: 503, retryAfterMs: 60_000 },
    ],
    ["nonsense", 503, { "Retry-After": "soon" }, { kind: "failed", reason: "status", status: 503 }],
    ["the past", 503, { "Retry-After": "0" }, { kind: "failed", reason: "status", status: 503 }],
  ])("%s", async (_, status, headers, result) => {
    expect(await answering(status, headers)).toEqual(result);
  });

  test("does not follow a redirect, and reports it", async () => {
    const called: { url: string; init: RequestInit }[] = [];
    const { receiver } = await receiverOver(async (url, init) => {
      called.push({ url, init });
      return new Response(null);
    });
    await receiver.send(attempt);
    expect(called).toMatchObject([{ url }]);
    const init = called[0]?.init;
    expect(init).toMatchObject({ method: "POST", body: "{}", redirect: "manual" });
    expect(new Headers(init?.headers).get("Content-Type")).toBe("application/json");
  });

  test("reports an unreachable receiver, and one that does not answer", async () => {
    const { receiver } = await receiverOver(() => Promise.reject(new TypeError("refused")));
    expect(await receiver.send(attempt)).toEqual({ kind: "failed", reason: "unreachable" });
    vi.useFakeTimers();
    try {
      const silent = await receiverOver(
        (_, { signal }) =>
          new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted")))),
      );
      const sent = silent.receiver.send(attempt);
      let settled = false;
      void sent.then(() => (settled = true));
      await vi.advanceTimersByTimeAsync(ANSWER_TIME - 1);
      expect(settled).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await sent).toEqual({ kind: "failed", reason: "timeout" });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("sends nothing to a host that is no longer allowed, and nothing unsigned", async () => {
    const never = () => Promise.reject(new Error("called"));
    const { receiver } = await receiverOver(never, []);
    expect(await receiver.send(attempt)).toEqual({ kind: "off", reason: "host-not-allowed" });
    const { receiver: bare } = await receiverOver(never);
    expect(await bare.send({ ...attempt, secrets: [] })).toEqual({ kind: "failed", reason: "no-secret" });
  });
});

test("reports why a disabled webhook is paused, and that an unknown one is gone", async () => {
  const { receiver, sender, database } = await receiverOver(async () => new Response(null));
  await (receiver satisfies Receiver).turnedOff?.("gone");
  expect(await sender.open("webhook:whk_1")).toBe("paused");
  expect(await readWebhook(database, "whk_1")).toMatchObject({
    enabled: false,
    disabledReason: "gone",
    disabledAt: NOW,
  });
  expect(await sender.open("webhook:whk_2")).toBe("none");
});

test("a message has a stable id, and omits the change's details if they are too long", () => {
  const change = { seq: 7, domainId: "did:a", action: "verified", at: "2026-11-21T09:00:00Z" } as FeedChange;
  const sizeOf = (length: number) => {
    const to = "x".repeat(length);
    return changeMessage("whk_ab", { ...change, changes: [{ path: "/a", from: null, to }] });
  };
  const { id, topic, ordered, lane, body } = sizeOf(1);
  expect([id, topic, ordered, lane]).toEqual(["msg_ab_7", "domain.verified", true, "did:a"]);
  expect(JSON.parse(body)).toMatchObject({ type: "domain.verified", timestamp: change.at, data: { seq: 7 } });
  const around = sizeOf(0).body.length;
  expect(sizeOf(MESSAGE_BYTES - around).body).toHaveLength(MESSAGE_BYTES);
  expect(JSON.parse(sizeOf(MESSAGE_BYTES - around + 1).body)).toMatchObject({ data: { seq: 7, changes: null } });
});
