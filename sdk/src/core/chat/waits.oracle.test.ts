/**
 * Messages that wait for a rate limit, for a network, or for room in the browser's storage; and errors that disappear
 * with their message.
 */
import { expect, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import { createManualClock } from "../../../../test/support/clocks/manual-clock.ts";
import type { AskedRequest } from "../../../../test/support/oracle/oracle-on-a-port.ts";
import type { QueueStore } from "../client-settings.ts";
import { LONGEST_WAIT_MS } from "./outbox.ts";
import { createMemoryStore } from "./queue-store.ts";

const isSend = ({ method, path }: AskedRequest): boolean => method === "POST" && /^\/messages\/(?!abort$)/.test(path);
const texts = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content);

/** Refuses each message in turn with one of these responses. */
function refusing(...answers: readonly Response[]) {
  const left = [...answers];
  return (request: AskedRequest): Response | undefined => (isSend(request) ? left.shift() : undefined);
}
const refusal = (status: number, body: object = {}) =>
  Response.json({ statusCode: status, message: `Refused with ${status}`, ...body }, { status });

test.each([
  ["a 503 of the oracle", refusal(503, { retryable: true, retryAfterMs: 5000 }), "offline"],
  ["a 503 of its gateway", new Response("", { status: 503, headers: { "Retry-After": "5" } }), "offline"],
  ["a 429", refusal(429, { retryAfterMs: 5000 }), "waiting"],
])(
  "a message that %s refuses for a moment is sent again when that has passed, and not before [SD-285]",
  async (_, answer, state) => {
    const clock = createManualClock();
    const { open, oracle } = await sessionOfOracle({ steps: [["one"], ["two"]], before: refusing(answer) });
    const { chat, view, until, wake } = open({ clock });
    chat.retain();
    const first = chat.send("1");
    await until(({ queue }) => queue[0]?.state === state);
    expect(view.getSnapshot()).toMatchObject({ status: "ready", error: undefined });
    clock.advance(4999);
    wake();
    const second = chat.send("2");
    await until(({ queue }) => queue.length === 2);
    await chat.refetch();
    expect(oracle.requests.filter(isSend)).toHaveLength(1);
    clock.advance(1);
    await Promise.all([first, second]);
    await until(({ messages }) => messages.length === 4);
    expect(texts(view.getSnapshot().messages)).toEqual(["1", "one", "2", "two"]);
  },
);

test("a 429 that asks for more than a minute, or names no time, refuses the message [SD-285]", async () => {
  const { open } = await sessionOfOracle({
    before: refusing(refusal(429, { retryAfterMs: LONGEST_WAIT_MS + 1 }), refusal(429)),
  });
  const { chat, view } = open();
  chat.retain();
  await expect(chat.send("1")).rejects.toMatchObject({ status: 429 });
  await expect(chat.send("2")).rejects.toMatchObject({ status: 429 });
  expect(view.getSnapshot().queue.map(({ state }) => state)).toEqual(["failed", "failed"]);
});

test("while the browser is offline nothing is retried, and everything is retried once it is online [SD-286]", async () => {
  const clock = createManualClock();
  let isUp = true;
  const { open, oracle } = await sessionOfOracle({
    steps: [["answer"]],
    before: () => (isUp ? undefined : new Response(null, { status: 504 })),
  });
  isUp = false;
  const { chat, until, wake, setOffline } = open({ clock });
  setOffline(true);
  chat.retain();
  void chat.send("hello");
  await until(({ queue, isLoading }) => queue[0]?.state === "offline" && !isLoading);
  const before = oracle.requests.length;
  for (let count = 0; count < 10; count += 1) {
    clock.advance(30_000);
    await new Promise((resolve) => void setTimeout(resolve, 0));
  }
  expect(oracle.requests.length).toBe(before);
  isUp = true;
  setOffline(false);
  wake();
  const { messages, error } = await until(({ messages, error }) => messages.length === 2 && error === undefined);
  expect([texts(messages), error]).toEqual([["hello", "answer"], undefined]);
});

test("the error of a refused message disappears when the user cancels the message [SD-278]", async () => {
  const { open } = await sessionOfOracle({ before: refusing(refusal(413), refusal(400)) });
  const { chat, view } = open();
  chat.retain();
  await expect(chat.send("long")).rejects.toThrow("Refused with 413");
  await expect(chat.send("wrong")).rejects.toThrow("Refused with 400");
  const [first, second] = view.getSnapshot().queue;
  chat.cancelQueued(first?.id ?? "");
  expect(view.getSnapshot()).toMatchObject({ status: "error", error: { status: 400 } });
  chat.cancelQueued(second?.id ?? "");
  expect(view.getSnapshot()).toMatchObject({ status: "ready", error: undefined, queue: [] });
});

test("a message shows whether it is stored, and an unstored one is stored when the page becomes active [SD-282]", async () => {
  let isFull = true;
  const kept = createMemoryStore();
  const store: QueueStore = {
    ...kept,
    async set(key, value) {
      if (isFull) return false;
      return await kept.set(key, value);
    },
  };
  const { open } = await sessionOfOracle({
    before: (request) => (isSend(request) ? new Response(null, { status: 504 }) : undefined),
  });
  const { chat, until, wake } = open({ store });
  chat.retain();
  void chat.send("hello");
  await until(({ queue }) => queue[0]?.state === "offline" && !queue[0].isKept);
  isFull = false;
  wake();
  const { queue } = await until(({ queue }) => queue[0]?.isKept === true);
  expect(await kept.keys()).toHaveLength(1);
  chat.cancelQueued(queue[0]?.id ?? "");
  await expect.poll(async () => (await kept.keys()).length, { timeout: 20_000 }).toBe(0);
});
