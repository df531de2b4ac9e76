/** Robustness of a chat: failing storage, values that are not JSON, invalid addresses, and repeated clicks. */
import { expect, onTestFinished, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import { createGate } from "../../../../workers/oracle/testing/scripted-model.ts";
import type { QueueStore } from "../client-settings.ts";

const texts = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content);

test("a message that is sent right after a stop is sent [SD-50]", async () => {
  const gate = createGate();
  const { open } = await sessionOfOracle({ steps: [["one", { wait: gate }], ["two"]] });
  const { chat, view, until } = open();
  chat.retain();
  const first = chat.send("1");
  await until(({ status }) => status === "streaming");
  const stopped = chat.abort();
  const second = chat.send("2");
  await Promise.all([first, stopped, second]);
  gate.open();
  await until(({ messages }) => texts(messages).includes("two"));
  expect(view.getSnapshot().queue).toEqual([]);
});

test("a message that is not JSON rejects, and the chat continues [SD-49]", async () => {
  const { open } = await sessionOfOracle({ steps: [["fine"]] });
  const { chat, until } = open();
  chat.retain();
  await expect(chat.send("1", { metadata: { amount: 1n } })).rejects.toThrow(TypeError);
  await chat.send("2");
  await until(({ messages, queue }) => texts(messages).includes("fine") && queue.length === 0);
});

test("a failing storage loses no message and causes no unhandled rejection [SD-52]", async () => {
  const unheard: unknown[] = [];
  const note = (reason: unknown): void => void unheard.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const failing = (): Promise<never> => Promise.reject(new Error("no storage"));
  const store: QueueStore = { get: failing, set: failing, delete: failing, keys: failing };
  const { open } = await sessionOfOracle({ steps: [["fine"]] });
  const { chat, until, wake } = open({ store });
  const release = chat.retain();
  await chat.send("1");
  wake();
  await until(({ messages }) => texts(messages).includes("fine"));
  release();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unheard).toEqual([]);
});

test.each(["javascript:alert(1)", "data:text/html,x", "//a.test", "", undefined])(
  "a sign-in at %j is not shown [SD-70]",
  async (url) => {
    const { open } = await sessionOfOracle();
    const { chat, view, socket } = open();
    chat.retain();
    socket().onSignIn({ server: "mcp", url } as never);
    expect(view.getSnapshot().signIns).toEqual([]);
    socket().onSignIn({ server: "mcp", url: "https://sign.test/in" } as never);
    expect(view.getSnapshot().signIns).toEqual([{ server: "mcp", url: "https://sign.test/in" }]);
  },
);

test("a question whose answer was lost with its connection appears again, and one without arguments is shown [SD-71]", async () => {
  const { open } = await sessionOfOracle();
  const { chat, view, socket, connect } = open();
  chat.retain();
  connect();
  const question = { toolCallId: "c", toolName: "approve_tool", requestId: "q", status: "isRunning" } as never;
  socket().onConnected(true);
  socket().onQuestion(question);
  expect(view.getSnapshot().questions).toMatchObject([{ id: "c", args: {} }]);
  await chat.answerQuestion("c", { approved: true });
  expect(view.getSnapshot().questions).toEqual([]);
  socket().onConnected(false);
  socket().onConnected(true);
  socket().onQuestion(question);
  expect(view.getSnapshot().questions).toMatchObject([{ id: "c" }]);
});

test("a question is answered once, even after several clicks [SD-71]", async () => {
  const { open } = await sessionOfOracle();
  const { chat, socket, answers, connect } = open();
  chat.retain();
  connect();
  socket().onQuestion({ toolCallId: "c", toolName: "approve_tool", args: {}, requestId: "q" } as never);
  await Promise.all([chat.answerQuestion("c", { approved: true }), chat.answerQuestion("c", { approved: false })]);
  expect(answers).toEqual([["c", { approved: true }]]);
});

test("a disposed client sends nothing, and the user's next client sends its unsent messages [SD-52]", async () => {
  let isReachable = true;
  const { open, oracle } = await sessionOfOracle({
    steps: [["fine"]],
    before: () => (isReachable ? undefined : new Response(null, { status: 504 })),
  });
  const first = open();
  first.chat.retain();
  await first.until(({ isLoading }) => !isLoading);
  isReachable = false;
  void first.chat.send("1");
  await first.until(({ queue }) => queue.length === 1);
  // The page stays open: another user signs in, and then this user again.
  first.chats.dispose();
  await expect(first.chat.send("no")).rejects.toThrow("has signed out");
  await expect(first.chats.get("other").send("no")).rejects.toThrow("has signed out");
  await first.chat.abort();
  isReachable = true;
  const second = open();
  second.chat.retain();
  await second.until(({ messages }) => texts(messages).includes("fine"));
  expect(texts(second.view.getSnapshot().messages)).toEqual(["1", "fine"]);
  expect(oracle.requests.filter(({ body }) => body.includes('"no"'))).toEqual([]);
});

test("a message that the oracle answered long ago is not resent, and its promise resolves [SD-52]", async () => {
  let posts = 0;
  const answered = { statusCode: 409, message: "Answered", code: "message_already_answered", retryable: false };
  const { open } = await sessionOfOracle({
    before({ method, path }) {
      if (method !== "POST" || !path.startsWith("/messages/")) return undefined;
      posts += 1;
      return Response.json(answered, { status: 409 });
    },
  });
  const { chat, view, wake } = open();
  chat.retain();
  await chat.send("1");
  wake();
  expect(view.getSnapshot()).toMatchObject({ status: "ready", queue: [], error: undefined });
  expect(posts).toBe(1);
});
