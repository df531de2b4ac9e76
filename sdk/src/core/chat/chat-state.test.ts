import { expect, test } from "vitest";
import type { StreamingMode } from "../chat.ts";
import { createChatState } from "./chat-state.ts";
import { type LocalTurn, startTurn } from "./turn.ts";
import type { Environment } from "../environment.ts";

/** A page whose time and frames the test controls. */
function testPage() {
  let now = 1000;
  let isHidden = false;
  let waiting: { readonly at: number; readonly work: () => void }[] = [];
  let frames: (() => void)[] = [];
  const environment: Environment = {
    now: () => now,
    after(milliseconds, work) {
      const entry = { at: now + milliseconds, work };
      waiting.push(entry);
      return () => void (waiting = waiting.filter((other) => other !== entry));
    },
    frame(work) {
      frames.push(work);
      return () => void (frames = frames.filter((other) => other !== work));
    },
    page: { onWake: () => () => undefined, isHidden: () => isHidden, isOffline: () => false },
    locks: undefined,
    newId: () => "id",
  };
  return {
    environment,
    hide: () => void (isHidden = true),
    pass(milliseconds: number): void {
      now += milliseconds;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { work } of due) work();
    },
    draw(): void {
      const due = frames;
      frames = [];
      for (const work of due) work();
    },
    waiting: () => waiting.length + frames.length,
  };
}

function streamingChat(mode: StreamingMode, throttleMs?: number) {
  const page = testPage();
  const state = createChatState(page.environment);
  const stored = Array.from({ length: 2000 }, (_, index) => ({
    id: `m${index}`,
    type: "human" as const,
    kind: "text" as const,
    content: "stored",
  }));
  state.setHistory({ messages: stored, prevCursor: null, nextCursor: null, hasOlder: false });
  const turn = startTurn({ runId: "r", requestId: "q" });
  const local: LocalTurn = { requestId: "q", human: undefined, turn, extras: [], isSettled: false };
  state.addTurn(local);
  const view = state.view({ mode, ...(throttleMs === undefined ? {} : { throttleMs }) });
  let published = 0;
  let seen = view.getSnapshot();
  const unsubscribe = view.subscribe(() => {
    published += 1;
    expect(view.getSnapshot()).not.toBe(seen);
    seen = view.getSnapshot();
  });
  seen = view.getSnapshot();
  let text = "";
  return {
    page,
    state,
    view,
    unsubscribe,
    published: () => published,
    text: () => view.getSnapshot().messages.at(-1)?.content,
    chunk(): void {
      text += "x";
      local.turn = { ...turn, messages: [{ id: "q", type: "ai", kind: "text", content: text }] };
      state.streamed();
      // Nothing changes unless the listener was called.
      expect(view.getSnapshot()).toBe(seen);
    },
  };
}

test("`immediate` shows each change, and the snapshot changes exactly then [SD-39]", () => {
  const chat = streamingChat("immediate");
  for (let count = 0; count < 5; count += 1) chat.chunk();
  expect([chat.published(), chat.text()]).toEqual([5, "xxxxx"]);
});

test("`batched` shows the stream once per frame, and in a hidden page by its clock [SD-40]", () => {
  const chat = streamingChat("batched");
  for (let count = 0; count < 5; count += 1) chat.chunk();
  expect(chat.published()).toBe(0);
  chat.page.draw();
  expect([chat.published(), chat.text()]).toEqual([1, "xxxxx"]);
  chat.page.hide();
  chat.page.pass(50);
  chat.chunk();
  chat.chunk();
  expect([chat.published(), chat.text()]).toEqual([2, "xxxxxx"]);
  chat.page.pass(50);
  expect([chat.published(), chat.text()]).toEqual([3, "xxxxxxx"]);
});

test("`throttled` shows the first chunk at once and the last one in time, 20 times a second [SD-41]", () => {
  const chat = streamingChat("throttled");
  chat.page.pass(50);
  for (let passed = 0; passed < 1000; passed += 1) {
    chat.chunk();
    chat.page.pass(1);
  }
  expect(chat.published()).toBeGreaterThanOrEqual(20);
  expect(chat.published()).toBeLessThanOrEqual(21);
  chat.page.pass(50);
  expect(chat.text()).toHaveLength(1000);
  const slow = streamingChat("throttled", 200);
  slow.page.pass(200);
  slow.chunk();
  slow.chunk();
  slow.page.pass(199);
  expect(slow.published()).toBe(1);
  slow.page.pass(1);
  expect(slow.published()).toBe(2);
});

test("a change of the state is shown at once, with all pending changes [SD-42]", () => {
  for (const mode of ["batched", "throttled"] as const) {
    const chat = streamingChat(mode);
    chat.chunk();
    chat.chunk();
    const before = chat.published();
    chat.state.set({ status: "streaming" });
    expect([chat.published() - before, chat.text(), chat.page.waiting()], mode).toEqual([1, "xx", 0]);
    chat.state.set({ status: "streaming" });
    expect(chat.published() - before, mode).toBe(1);
  }
});

test("a message's listener is called only for that message, and the others keep their identity [SD-43]", () => {
  const chat = streamingChat("immediate");
  const calls: string[] = [];
  chat.view.subscribeToMessage("q", () => void calls.push("q"));
  for (let index = 0; index < 2000; index += 1) {
    chat.view.subscribeToMessage(`m${index}`, () => void calls.push(`m${index}`));
  }
  const before = chat.view.getSnapshot().messages;
  chat.chunk();
  chat.chunk();
  const after = chat.view.getSnapshot().messages;
  expect(calls).toEqual(["q", "q"]);
  expect(chat.view.getMessage("q")?.content).toBe("xx");
  expect(before.every((message, index) => message === after[index])).toBe(true);
  const history = chat.state.history();
  const messages = history.messages.map((message) =>
    message.id === "m7" ? { ...message, content: "changed" } : message,
  );
  chat.state.setHistory({ ...history, messages });
  expect(calls).toEqual(["q", "q", "m7"]);
});

test("a view without listeners holds no timer and shows the current state", () => {
  const chat = streamingChat("throttled");
  chat.chunk();
  chat.chunk();
  chat.unsubscribe();
  expect([chat.page.waiting(), chat.text()]).toEqual([0, "xx"]);
});
