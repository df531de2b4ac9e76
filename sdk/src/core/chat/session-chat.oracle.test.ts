/** A chat against the real oracle: what it shows of a turn, and how it reacts when the turn or the connection ends. */
import { expect, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import { showing } from "../../../../test/support/oracle/oracle-on-a-port.ts";
import { createGate } from "../../../../workers/oracle/testing/scripted-model.ts";

test("a message is sent, its answer streams, and both are shown once and under their stored ids at the end [SD-44]", async () => {
  const { open, client, sessionId } = await sessionOfOracle({ steps: [["Hello", " you"]] });
  const { chat, view, until, texts } = open();
  const statuses: string[] = [];
  view.subscribe(() => void statuses.push(view.getSnapshot().status));
  chat.retain();
  await chat.send("hi");
  expect(view.getSnapshot()).toMatchObject({ status: "ready", queue: [], error: undefined, run: { ended: "done" } });
  const { messages } = await client.http.json<{ messages: { id: string }[] }>(`/messages/${sessionId}`);
  await until((snapshot) => snapshot.messages.every(({ id }, index) => id === messages[index]?.id));
  expect(view.getSnapshot().messages.map(({ type, content }) => [type, content])).toEqual([
    ["human", "hi"],
    ["ai", "Hello you"],
  ]);
  for (const shown of texts) {
    expect(shown.filter((text) => text === "hi").length, JSON.stringify(shown)).toBeLessThanOrEqual(1);
    expect(shown.length).toBeLessThanOrEqual(3);
  }
  expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual(
    ["ready", "submitted", "streaming", "ready"].slice(statuses[0] === "ready" ? 0 : 1),
  );
});

test("after a reload the running turn is joined from its first frame [SD-45]", async () => {
  const gate = createGate();
  const { open, paths } = await sessionOfOracle({ steps: [["Hel", { wait: gate }, "lo"]] });
  const before = open();
  before.chat.retain();
  const sent = before.chat.send("hi");
  await before.until(({ messages }) => messages.some(({ content }) => content === "Hel"));
  before.close();
  await sent;
  const after = open();
  after.chat.retain();
  await after.until(({ messages }) => messages.at(-1)?.content === "Hel");
  expect(after.view.getSnapshot().status).toBe("streaming");
  gate.open();
  await after.until(({ status, messages }) => status === "ready" && messages.length === 2);
  expect(after.view.getSnapshot().messages.map(({ content }) => content)).toEqual(["hi", "Hello"]);
  expect(paths().filter((path) => path.startsWith("POST /messages/"))).toHaveLength(1);
  expect(paths().some((path) => path.endsWith("?after=0"))).toBe(true);
});

test("a stop reaches the oracle and leaves the text that it kept, even after a reload [SD-46]", async () => {
  const gate = createGate();
  const { open } = await sessionOfOracle({ steps: [["Hel", { wait: gate }, "lo"]] });
  const before = open();
  before.chat.retain();
  void before.chat.send("hi");
  await before.until(({ messages }) => messages.some(({ content }) => content === "Hel"));
  before.close();
  const after = open();
  after.chat.retain();
  // At once, before the page has joined the run.
  await after.chat.abort();
  await after.until(({ status, messages }) => status === "ready" && messages.length === 2);
  expect(after.view.getSnapshot().messages.map(({ content }) => content)).toEqual(["hi", "Hel"]);
});

test("a broken connection loses no text", async () => {
  const { open } = await sessionOfOracle({
    steps: [["one ", "two ", "three"]],
    fates: [{ kind: "break", after: showing("one") }],
  });
  const { chat, until, view } = open();
  chat.retain();
  await chat.send("count");
  await until(({ messages }) => messages.length === 2);
  expect(view.getSnapshot().messages[1]?.content).toBe("one two three");
});
