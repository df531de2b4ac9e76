/** Messages that cannot be sent at once, against the real oracle: queued, refused, cancelled. */
import { expect, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import type { AskedRequest } from "../../../../test/support/oracle/oracle-on-a-port.ts";
import { createGate } from "../../../../workers/oracle/testing/scripted-model.ts";
import { RequestError, TurnError } from "../errors.ts";
import { isSend, texts } from "../../../../test/support/sdk/sent-messages.ts";

/** Refuses each message in turn with one of these responses; undefined lets it pass. */
function refusing(...answers: readonly (Response | undefined)[]) {
  const left = [...answers];
  return (request: AskedRequest): Response | undefined => (isSend(request) ? left.shift() : undefined);
}

const refusal = (status: number, body: object = {}) =>
  Response.json({ statusCode: status, message: `Refused with ${status}`, ...body }, { status });

test("messages sent while a turn runs wait in order, can be cancelled, and interrupt nothing [SD-47]", async () => {
  const gate = createGate();
  const { open, oracle } = await sessionOfOracle({ steps: [["one", { wait: gate }], ["two"], ["three"]] });
  const { chat, view, until } = open();
  chat.retain();
  const sent = [chat.send("1")];
  await until(({ status }) => status === "streaming");
  sent.push(chat.send("2"), chat.send("no"), chat.send("3"));
  const { queue } = view.getSnapshot();
  expect(queue.map(({ message, state }) => [message, state])).toEqual([
    ["2", "waiting"],
    ["no", "waiting"],
    ["3", "waiting"],
  ]);
  expect([chat.cancelQueued(queue[1]?.id ?? ""), chat.cancelQueued("unknown")]).toEqual([true, false]);
  gate.open();
  await Promise.all(sent);
  await until(({ messages }) => messages.length === 6);
  expect(texts(view.getSnapshot().messages)).toEqual(["1", "one", "2", "two", "3", "three"]);
  const bodies = oracle.requests.filter(isSend).map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ multitask, metadata }) => [multitask, metadata.clientMessageId])).toEqual([
    ["enqueue", expect.any(String)],
    ["enqueue", queue[0]?.id],
    ["enqueue", queue[2]?.id],
  ]);
});

test("a message that needs a payment names its claims, resolves, and stays in the queue until it is sent again [SD-48]", async () => {
  const gate = createGate();
  const { open } = await sessionOfOracle({
    steps: [["first", { wait: gate }], ["paid"], ["next"]],
    before: refusing(undefined, refusal(402, { code: "payment_required", claims: ["c1", "c2"] })),
  });
  const { chat, view, until } = open();
  const asked: string[][] = [];
  chat.setCallbacks({ onPaymentRequired: (claims) => void asked.push(claims) });
  chat.retain();
  const first = chat.send("1");
  await until(({ status }) => status === "streaming");
  const unpaid = chat.send("2");
  const next = chat.send("3");
  gate.open();
  await Promise.all([first, unpaid]);
  expect(asked).toEqual([["c1", "c2"]]);
  expect(view.getSnapshot()).toMatchObject({
    status: "ready",
    error: undefined,
    queue: [
      { message: "2", state: "failed", error: expect.any(RequestError) },
      { message: "3", state: "paused" },
    ],
  });
  chat.resumeQueue(view.getSnapshot().queue[0]?.id);
  await next;
  await until(({ messages }) => messages.length === 6);
  expect(texts(view.getSnapshot().messages)).toEqual(["1", "first", "2", "paid", "3", "next"]);
});

test("the error of a failed message contains the refusal, in the next page too [SD-275]", async () => {
  const body = { code: "payment_required", claims: ["c1"], requestId: "req-7", retryAfterMs: 3000 };
  const { open } = await sessionOfOracle({ steps: [], before: refusing(refusal(402, body)) });
  const first = open();
  const release = first.chat.retain();
  await first.chat.send("1");
  const said = { status: 402, code: "payment_required", claims: ["c1"], requestId: "req-7", retryAfterMs: 3000 };
  expect(first.view.getSnapshot().queue[0]?.error).toMatchObject(said);
  release();
  const second = open();
  second.chat.retain();
  const { queue } = await second.until((snapshot) => snapshot.queue.length === 1);
  expect(queue[0]?.error).toMatchObject(said);
});

test("a message that the oracle refuses rejects with its reason and lets the next one through [SD-49]", async () => {
  const gate = createGate();
  const { open } = await sessionOfOracle({
    steps: [["first", { wait: gate }], ["third"]],
    before: refusing(undefined, refusal(400, { code: "invalid_request" })),
  });
  const { chat, view, until } = open();
  chat.retain();
  const first = chat.send("1");
  await until(({ status }) => status === "streaming");
  const refused = chat.send("2").catch((error: unknown) => error);
  const third = chat.send("3");
  gate.open();
  await first;
  expect(await refused).toMatchObject({ status: 400, message: "Refused with 400" });
  await third;
  await until(({ messages }) => messages.length === 4);
  expect(texts(view.getSnapshot().messages)).toEqual(["1", "first", "3", "third"]);
  expect(view.getSnapshot().queue).toMatchObject([{ message: "2", state: "failed" }]);
});

test("a refused message leaves the status `error`, and the next send clears it", async () => {
  const { open } = await sessionOfOracle({ steps: [["fine"]], before: refusing(refusal(413)) });
  const { chat, view } = open();
  chat.retain();
  await expect(chat.send("long")).rejects.toThrow("Refused with 413");
  expect(view.getSnapshot()).toMatchObject({ status: "error", error: { status: 413 }, messages: [] });
  await chat.send("short");
  expect(view.getSnapshot()).toMatchObject({ status: "ready", error: undefined });
});

test("after a failed turn the queue is paused until the next send [SD-50]", async () => {
  const gate = createGate();
  const { open } = await sessionOfOracle({
    steps: [["half", { wait: gate }, { fail: new Error("broken") }], ["two"], ["three"]],
  });
  const { chat, view, until } = open();
  chat.retain();
  const first = chat.send("1");
  await until(({ status }) => status === "streaming");
  const second = chat.send("2");
  gate.open();
  await first;
  const failed = view.getSnapshot();
  expect(failed).toMatchObject({ status: "ready", run: { ended: "failed" }, queue: [{ state: "paused" }] });
  expect(failed.error).toBeInstanceOf(TurnError);
  expect(failed.messages.some(({ kind, id }) => kind === "error" && id.endsWith("-error"))).toBe(true);
  await Promise.all([chat.send("3"), second]);
  await until(({ messages }) => messages.filter(({ kind }) => kind === "text").length === 6);
  expect(texts(view.getSnapshot().messages.filter(({ kind }) => kind === "text"))).toEqual([
    "1",
    "half",
    "2",
    "two",
    "3",
    "three",
  ]);
});

test("a stop before the oracle has accepted the message cancels it [SD-51]", async () => {
  const arrived = createGate();
  const stopped = createGate();
  const { open, queueStore } = await sessionOfOracle({
    async before(request) {
      if (!isSend(request)) return undefined;
      arrived.open();
      await stopped.opened;
      return refusal(503);
    },
  });
  const { chat, view } = open();
  chat.retain();
  const sent = chat.send("hello");
  await arrived.opened;
  await chat.abort();
  stopped.open();
  await sent;
  expect(view.getSnapshot()).toMatchObject({ status: "ready", error: undefined, queue: [], messages: [] });
  expect(await queueStore.keys()).toEqual([]);
});
