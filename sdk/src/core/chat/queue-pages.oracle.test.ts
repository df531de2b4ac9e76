/** Unsent messages over reloads, offline pages and several tabs, against the real oracle. */
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import { createGate } from "../../../../workers/oracle/testing/scripted-model.ts";
import type { QueueStore } from "../client-settings.ts";
import { clearUserData } from "../clear-user-data.ts";
import { createMemoryStore, sessionKey } from "./queue-store.ts";
import { isSend, texts } from "../../../../test/support/sdk/sent-messages.ts";

/** Allows for a busy machine. */
const PATIENT = { timeout: 20_000 };

/** Resolves when this number of messages is stored. */
async function stored(store: QueueStore, count: number): Promise<void> {
  await expect.poll(async () => (await store.keys()).length, PATIENT).toBe(count);
}

/** The page that owns the only message. */
async function ownerOf(store: QueueStore): Promise<unknown> {
  const [key = ""] = await store.keys();
  return ((await store.get(key)) as { readonly owner: string }).owner;
}

test.each(["before it arrived", "after it arrived"])(
  "a message of a page that died %s is sent by the next page, and answered once [SD-52]",
  async (when) => {
    const sent = createGate();
    let isLost = true;
    const session = await sessionOfOracle({
      steps: [["answer"]],
      async before(request) {
        if (!isSend(request) || !isLost) return undefined;
        isLost = false;
        const { "x-run-id": _none, host: _host, connection: _connection, ...headers } = request.headers;
        if (when === "after it arrived") {
          const answer = await session.oracle.edge.call("POST", request.path, {
            headers: headers as Record<string, string>,
            body: Buffer.from(request.body).toString(),
          });
          await answer.text();
        }
        sent.open();
        return new Promise(() => {});
      },
    });
    const first = session.open();
    first.chat.retain();
    void first.chat.send("hello");
    await sent.opened;
    first.close();
    const second = session.open();
    second.chat.retain();
    await second.until(({ messages, queue }) => messages.length === 2 && queue.length === 0);
    expect(texts(second.view.getSnapshot().messages)).toEqual(["hello", "answer"]);
    await second.until(({ status }) => status === "ready");
    for (const shown of second.texts) expect(shown.filter((text) => text === "hello").length).toBeLessThanOrEqual(1);
    const { messages } = await session.client.http.json<{ messages: unknown[] }>(`/messages/${session.sessionId}`);
    expect(messages).toHaveLength(2);
  },
);

test("an offline message waits, even over a reload, and is sent once the page is online [SD-53]", async () => {
  let isOnline = true;
  const { open } = await sessionOfOracle({
    steps: [["answer"]],
    before: () => (isOnline ? undefined : new Response(null, { status: 504 })),
  });
  isOnline = false;
  const before = open();
  before.chat.retain();
  void before.chat.send("hello");
  const offline = await before.until(({ queue }) => queue[0]?.state === "offline");
  expect(offline).toMatchObject({ status: "ready", messages: [], queue: [{ message: "hello" }] });
  before.close();
  const after = open();
  after.chat.retain();
  await after.until(({ queue, isLoading }) => queue.length === 1 && !isLoading);
  const seen: unknown[] = [];
  after.view.subscribe(() => {
    const { status, queue, messages } = after.view.getSnapshot();
    if (!isOnline) seen.push([status, queue.map(({ message }) => message), messages.length]);
  });
  // While it is being retried, it stays visible, and the page can be used.
  after.wake();
  await after.until(({ queue }) => queue[0]?.state === "offline");
  expect(seen).toEqual(seen.map(() => ["ready", ["hello"], 0]));
  isOnline = true;
  after.wake();
  await after.until(({ status, messages }) => status === "ready" && messages.length === 2);
  expect(texts(after.view.getSnapshot().messages)).toEqual(["hello", "answer"]);
});

test("an offline message can be cancelled, even during a retry", async () => {
  let isOnline = true;
  const held = createGate();
  let attempts = 0;
  const { open, queueStore } = await sessionOfOracle({
    async before(request) {
      if (isSend(request) && (attempts += 1) > 3) await held.opened;
      return isOnline ? undefined : new Response(null, { status: 504 });
    },
  });
  isOnline = false;
  const { chat, until, wake } = open();
  chat.retain();
  const sent = chat.send("hello");
  const { queue } = await until(({ queue }) => queue[0]?.state === "offline");
  wake();
  await expect.poll(() => attempts, PATIENT).toBe(4);
  // A stop ends only turns, and this is not a turn.
  await chat.abort();
  expect(chat.cancelQueued(queue[0]?.id ?? "")).toBe(true);
  await sent;
  held.open();
  const snapshot = await until(({ queue }) => queue.length === 0);
  expect([snapshot.messages, snapshot.status]).toEqual([[], "ready"]);
  await stored(queueStore, 0);
});

test("of two pages, the one that accepted a message sends it; when it is closed, the other one does [SD-54]", async () => {
  const gate = createGate();
  const { open, oracle, queueStore } = await sessionOfOracle({ steps: [["one", { wait: gate }], ["two"]] });
  const first = open();
  const second = open();
  first.chat.retain();
  void first.chat.send("1");
  await first.until(({ status }) => status === "streaming");
  second.chat.retain();
  await second.until(({ status }) => status === "streaming");
  void first.chat.send("2");
  await stored(queueStore, 1);
  second.wake();
  await new Promise((resolve) => void setTimeout(resolve, 0));
  expect(second.view.getSnapshot().queue).toEqual([]);
  first.close();
  // The browser shows the remaining page.
  second.wake();
  await second.until(({ queue }) => queue[0]?.message === "2");
  gate.open();
  await second.until(({ status, messages }) => status === "ready" && messages.length === 4);
  expect(texts(second.view.getSnapshot().messages)).toEqual(["1", "one", "2", "two"]);
  expect(oracle.requests.filter(isSend)).toHaveLength(2);
});

test("a page that is left before the active run is known sends no waiting message, and the next page does [SD-54]", async () => {
  const gate = createGate();
  const asked = createGate();
  const answered = createGate();
  let isHeld = false;
  const { open, oracle, queueStore } = await sessionOfOracle({
    steps: [["one", { wait: gate }], ["two"]],
    async before({ path }) {
      if (!isHeld || !path.endsWith("/run")) return undefined;
      asked.open();
      await answered.opened;
      return undefined;
    },
  });
  const first = open();
  const leaveFirst = first.chat.retain();
  void first.chat.send("1");
  await first.until(({ status }) => status === "streaming");
  void first.chat.send("2");
  await stored(queueStore, 1);
  isHeld = true;
  const owner = await ownerOf(queueStore);
  const second = open();
  const leaveSecond = second.chat.retain();
  await asked.opened;
  leaveFirst();
  // The message now belongs to the second page.
  await expect.poll(() => ownerOf(queueStore), PATIENT).not.toBe(owner);
  leaveSecond();
  isHeld = false;
  answered.open();
  const third = open();
  third.chat.retain();
  await third.until(({ status, queue }) => status === "streaming" && queue[0]?.message === "2");
  expect(oracle.requests.filter(isSend)).toHaveLength(1);
  gate.open();
  await third.until(({ status, messages }) => status === "ready" && messages.length === 4);
  expect(texts(third.view.getSnapshot().messages)).toEqual(["1", "one", "2", "two"]);
});

test("without Web Locks two pages may send a message, and the oracle accepts it once [SD-55]", async () => {
  const gate = createGate();
  const { open, queueStore } = await sessionOfOracle({ steps: [["one", { wait: gate }], ["two"]] });
  const first = open({ hasLocks: false });
  first.chat.retain();
  const sent = [first.chat.send("1")];
  await first.until(({ status }) => status === "streaming");
  sent.push(first.chat.send("2"));
  await stored(queueStore, 1);
  const second = open({ hasLocks: false });
  second.chat.retain();
  await second.until(({ status, queue }) => status === "streaming" && queue.length === 1);
  gate.open();
  await Promise.all(sent);
  for (const page of [first, second]) {
    await page.until(
      ({ status, messages, queue }) => status === "ready" && messages.length === 4 && queue.length === 0,
    );
    expect(texts(page.view.getSnapshot().messages)).toEqual(["1", "one", "2", "two"]);
  }
});

test("a user's unsent messages are in no other user's queue, and can be deleted [SD-56]", async () => {
  const store = createMemoryStore();
  let isOnline = true;
  const { open } = await sessionOfOracle({
    before: () => (isOnline ? undefined : new Response(null, { status: 504 })),
  });
  isOnline = false;
  const own = open({ store });
  own.chat.retain();
  void own.chat.send("secret");
  await own.until(({ queue }) => queue[0]?.state === "offline");
  own.close();
  const other = open({ store, userDid: "did:key:other" });
  other.chat.retain();
  await other.until(({ isLoading }) => !isLoading);
  expect(other.view.getSnapshot().queue).toEqual([]);
  const keys = await store.keys();
  await clearUserData("did:key:other", store);
  expect(await store.keys()).toEqual(keys);
  await clearUserData(own.userDid, store);
  expect([keys.length, await store.keys()]).toEqual([1, []]);
  expect(sessionKey("a/b", "c", "d")).not.toBe(sessionKey("a", "b/c", "d"));
});
