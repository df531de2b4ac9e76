/**
 * The lifetime of a chat, and its reaction to other clients of its session: against the real oracle, with the socket
 * simulated by the test.
 */
import { expect, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import { showing } from "../../../../test/support/oracle/oracle-on-a-port.ts";
import { plugin, tool } from "../../../../test/support/plugins/small-plugins.ts";
import { mintInvocation, signer } from "../../../../test/support/auth/ucan.ts";
import { createGate } from "../../../../workers/oracle/testing/scripted-model.ts";
import { KEPT_CHATS } from "../oracle-client.ts";
import { TurnError } from "../errors.ts";
import { SigningError } from "../tokens.ts";

/** Allows for a busy machine. */
const PATIENT = { timeout: 20_000 };

const texts = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content);
const nextTask = () => new Promise((resolve) => void setTimeout(resolve, 0));

test("a chat without a holder sends no request; one released and retained in one task opens nothing twice [SD-57]", async () => {
  const { open, oracle } = await sessionOfOracle({ steps: [["answer"]] });
  const before = oracle.requests.length;
  const { chat, view, until, openSockets } = open();
  view.getSnapshot();
  await nextTask();
  expect([oracle.requests.length - before, openSockets(), view.getSnapshot().isLoading]).toEqual([0, 0, true]);
  const release = chat.retain();
  release();
  const again = chat.retain();
  await until(({ isLoading }) => !isLoading);
  await nextTask();
  const paths = oracle.requests
    .slice(before)
    .map(({ method, path }) => `${method} ${path.replace(/[^/]*-[^/?]*/, "ID")}`);
  expect([paths.toSorted(), openSockets()]).toEqual([
    ["GET /sessions/ID/messages?limit=20", "GET /sessions/ID/run"],
    1,
  ]);
  again();
  await nextTask();
  expect(openSockets()).toBe(0);
});

test("50 switches between sessions leave no stream and no socket open, and few chats in memory [SD-58]", async () => {
  const gate = createGate();
  const { open, client, oracle } = await sessionOfOracle({ steps: [["start", { wait: gate }]] });
  const page = open();
  page.chat.retain();
  void page.chat.send("hi");
  await page.until(({ status }) => status === "streaming");
  const others = await Promise.all([client.sessions.create(), client.sessions.create()]);
  const ids = [page.chat.sessionId, ...others.map(({ sessionId }) => sessionId)];
  for (let count = 0; count < 50; count += 1) {
    const release = page.chats.get(ids[count % 3] ?? "").retain();
    await nextTask();
    release();
  }
  await nextTask();
  expect(page.openSockets()).toBe(1);
  page.close();
  await expect.poll(() => [oracle.objects.openStreams, page.openSockets()], PATIENT).toEqual([0, 0]);
  const next = open();
  const kept = Array.from({ length: KEPT_CHATS + 1 }, (_, index) => next.chats.get(`other-${index}`));
  for (const chat of kept) {
    chat.retain()();
    // The stop runs in a separate task.
    await expect.poll(next.openSockets, PATIENT).toBe(0);
  }
  expect(kept.map((chat, index) => next.chats.get(`other-${index}`) === chat)).toEqual(
    kept.map((_, index) => index > 0),
  );
  gate.open();
});

test("a message that was just sent arrives even if the user leaves its session at once [SD-59]", async () => {
  const { open, client, sessionId } = await sessionOfOracle({ steps: [["answer"]] });
  const { chat, view } = open();
  const release = chat.retain();
  const sent = chat.send("hi");
  release();
  await sent;
  await expect
    .poll(async () => (await client.http.json<{ messages: [] }>(`/messages/${sessionId}`)).messages.length, PATIENT)
    .toBe(2);
  // The chat, retained again, shows it once.
  chat.retain();
  await expect.poll(() => texts(view.getSnapshot().messages), PATIENT).toEqual(["hi", "answer"]);
});

test("a turn that another client started streams here too, found by one request [SD-60]", async () => {
  const gate = createGate();
  const { open, client, sessionId, paths } = await sessionOfOracle({ steps: [["from ", { wait: gate }, "afar"]] });
  const { chat, view, until, socket } = open();
  chat.retain();
  await until(({ isLoading }) => !isLoading);
  const asked = () => paths().filter((path) => path.endsWith("/run")).length;
  const before = asked();
  const body = { message: "hi", stream: true };
  const other = await client.http.open(`/messages/${sessionId}`, { method: "POST", body });
  socket().onInvalidated();
  await until(({ messages }) => messages.at(-1)?.content === "from ");
  expect([texts(view.getSnapshot().messages)[0], view.getSnapshot().status, asked() - before]).toEqual([
    "hi",
    "streaming",
    1,
  ]);
  gate.open();
  await until(({ status, messages }) => status === "ready" && messages.length === 2);
  expect(texts(view.getSnapshot().messages)).toEqual(["hi", "from afar"]);
  await other.body?.cancel();
});

test("a call from the socket joins its turn, and none is shown twice [SD-61]", async () => {
  const gate = createGate();
  const session = await sessionOfOracle({
    steps: [[{ call: "find", input: {} }], ["done", { wait: gate }]],
    plugins: [plugin("finder", { getTools: () => [tool("find", () => ({ found: 1 }))] })],
  });
  const { chat, view, until, socket } = session.open();
  chat.retain();
  const sent = chat.send("find it");
  const { messages } = await until(({ messages }) => messages.at(-1)?.content === "done");
  const call = messages.find(({ kind }) => kind === "tool_call")?.toolCalls?.[0];
  const inRun = { sessionId: session.sessionId, requestId: view.getSnapshot().run.requestId ?? "" };
  const payload = { ...inRun, toolName: "find", args: {}, status: "done", eventId: call?.id ?? "" } as const;
  socket().onEvent({ eventName: "tool_call", payload });
  const card = { ...inRun, componentName: "Chart", args: { of: "it" }, status: "done", eventId: "e1" } as const;
  socket().onEvent({ eventName: "render_component", payload: card });
  socket().onEvent({ eventName: "render_component", payload: { ...card, args: { of: "all" } } });
  const kinds = () => view.getSnapshot().messages.map(({ kind }) => kind);
  expect(kinds().filter((kind) => kind === "tool_call")).toHaveLength(1);
  expect(view.getSnapshot().messages.filter(({ kind }) => kind === "component")).toMatchObject([
    { id: `${inRun.requestId}-Component-e1`, payload: { name: "Chart", args: { of: "all" }, status: "done" } },
  ]);
  gate.open();
  await sent;
  await until(({ messages }) => messages.filter(({ kind }) => kind === "text").length === 2 && messages.length === 3);
  expect(kinds()).toEqual(["text", "text", "component"]);
});

test("a lost run ends as `disconnected`, and the transcript provides its reply [SD-63]", async () => {
  const { open } = await sessionOfOracle({
    steps: [["whole ", "answer"]],
    fates: [
      { kind: "break", after: showing("whole") },
      { kind: "refuse", status: 404 },
    ],
  });
  const { chat, until } = open();
  chat.retain();
  await chat.send("hi");
  const snapshot = await until(({ messages }) => messages.length === 2 && messages[1]?.content === "whole answer");
  expect(snapshot).toMatchObject({ status: "ready", run: { ended: "disconnected" } });
});

test("history is read by pages, older ones on request, later only new records; without pages as a whole [SD-64]", async () => {
  const count = 23;
  let hasPages = true;
  const session = await sessionOfOracle({
    steps: Array.from({ length: count + 1 }, (_, index) => [`answer ${index}`]),
    before: ({ path }) => (hasPages || !path.includes("/messages?") ? undefined : Response.json({}, { status: 404 })),
  });
  const writer = session.open();
  writer.chat.retain();
  for (let index = 0; index < count; index += 1) await writer.chat.send(`question ${index}`);
  writer.close();
  const { chat, view, until } = session.open();
  chat.retain();
  const first = await until(({ isLoading }) => !isLoading);
  expect([first.messages.length, first.hasEarlier, first.messages[0]?.content]).toEqual([40, true, "question 3"]);
  await chat.loadEarlier();
  expect([view.getSnapshot().messages.length, view.getSnapshot().hasEarlier]).toEqual([46, false]);
  const before = session.paths().length;
  await chat.send("the last one");
  const read = () =>
    session
      .paths()
      .slice(before)
      .filter((path) => path.includes("/messages?"));
  await expect.poll(() => read().length, PATIENT).toBeGreaterThan(0);
  expect(read().every((path) => path.includes("after="))).toBe(true);
  await until(({ messages }) => messages.length === 48 && messages.every(({ isComplete }) => isComplete === true));
  hasPages = false;
  const legacy = session.open();
  legacy.chat.retain();
  const { messages } = await legacy.until(({ isLoading }) => !isLoading);
  expect(texts(messages)).toEqual(texts(view.getSnapshot().messages));
});

test("an idle page that becomes active shows missed changes at once [SD-65]", async () => {
  const session = await sessionOfOracle({ steps: [["answer"]] });
  const { chat, until, wake } = session.open();
  chat.retain();
  await until(({ isLoading }) => !isLoading);
  const other = session.open();
  other.chat.retain();
  await other.chat.send("elsewhere");
  wake();
  const { messages } = await until(({ messages }) => messages.length === 2);
  expect(texts(messages)).toEqual(["elsewhere", "answer"]);
});

test("the next successful read clears the error of a read; the error of a turn stays until the next turn [SD-278]", async () => {
  let isUp = true;
  const { open } = await sessionOfOracle({
    steps: [[{ fail: new Error("broken") }], ["fine"]],
    before: ({ path }) => (isUp || !path.includes("/messages?") ? undefined : new Response(null, { status: 504 })),
  });
  const { chat, view, until, wake } = open();
  chat.retain();
  await until(({ isLoading }) => !isLoading);
  isUp = false;
  wake();
  await until(({ error }) => error?.name === "OfflineError");
  isUp = true;
  wake();
  await until(({ error }) => error === undefined);
  await chat.send("1");
  expect(view.getSnapshot().error).toBeInstanceOf(TurnError);
  isUp = false;
  await chat.refetch();
  isUp = true;
  await chat.refetch();
  expect(view.getSnapshot().error).toBeInstanceOf(TurnError);
  await chat.send("2");
  expect(view.getSnapshot().error).toBeUndefined();
});

test("the next stop clears the error of a failed stop [SD-278]", async () => {
  const gate = createGate();
  let isUp = false;
  const { open } = await sessionOfOracle({
    steps: [["start", { wait: gate }]],
    before: ({ path }) => (isUp || path !== "/messages/abort" ? undefined : new Response(null, { status: 504 })),
  });
  const { chat, view, until } = open();
  chat.retain();
  void chat.send("1");
  await until(({ status }) => status === "streaming");
  await chat.abort();
  expect(view.getSnapshot().error?.name).toBe("OfflineError");
  isUp = true;
  await chat.abort();
  expect(view.getSnapshot().error).toBeUndefined();
  gate.open();
});

test("a user who declined to sign is asked again only when they act [SD-280]", async () => {
  const { open, client } = await sessionOfOracle({ steps: [["answer"]] });
  const key = await signer(1);
  let asked = 0;
  let declines = true;
  client.tokens.clear();
  client.setTokenCreators({
    async createInvocation(oracleDid) {
      asked += 1;
      if (declines) throw new Error("The user declined.");
      const expiration = Math.floor(Date.now() / 1000) + 600;
      return { serialized: await mintInvocation(key, oracleDid, expiration), expiresAt: expiration * 1000 };
    },
  });
  const { chat, view, until, wake, socket } = open();
  chat.retain();
  await until(({ error }) => error instanceof SigningError);
  expect(asked).toBe(1);
  for (const comeBack of [wake, wake, () => socket().onInvalidated()]) {
    comeBack();
    await nextTask();
  }
  await expect(client.tokens.handshake()).rejects.toBeInstanceOf(SigningError);
  expect(asked).toBe(1);
  await expect(chat.send("hi")).rejects.toBeInstanceOf(SigningError);
  await chat.refetch();
  expect(asked).toBe(3);
  wake();
  await nextTask();
  expect(asked).toBe(3);
  declines = false;
  chat.resumeQueue(view.getSnapshot().queue[0]?.id);
  await until(({ messages, error }) => messages.length === 2 && error === undefined);
  expect(asked).toBe(4);
});
