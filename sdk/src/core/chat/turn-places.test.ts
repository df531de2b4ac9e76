import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatMessage } from "../chat.ts";
import { arrange, isOver, plan, type LocalTurn, startTurn } from "./turn.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const message = (id: string, type: "ai" | "human", content: string, runId?: string): ChatMessage => ({
  id,
  type,
  kind: "text",
  content,
  ...(runId === undefined ? {} : { runId }),
});

function localTurn(change: Partial<LocalTurn> = {}): LocalTurn {
  return {
    requestId: undefined,
    human: undefined,
    turn: undefined,
    extras: [],
    before: new Set<string>(),
    isSettled: false,
    ...change,
  };
}

const streaming = (runId: string, text: string) => ({
  ...startTurn({ runId, requestId: `q-${runId}` }),
  messages: [message(`q-${runId}`, "ai", text, runId)],
});

const shown = (stored: readonly ChatMessage[], turns: readonly LocalTurn[]) =>
  arrange(plan(stored, turns)).messages.map(({ content }) => content);

/**
 * A sent message passes these moments in this order, while the transcript may be read at any time: it is sent, the oracle stores
 * it, the page is notified, the answer streams, the oracle stores the answer, the page reads `done`.
 */
test("a message and its answer are shown exactly once, whenever the transcript is read [SD-37]", () => {
  const reads = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(reads, fc.boolean(), fc.array(fc.constantFrom("hi", "yes"), { maxLength: 3 }), (reads, named, past) => {
      const before = past.map((content, index) =>
        message(`old${index}`, "human", content, named ? `r${index}` : undefined),
      );
      const server = [...before];
      let stored: readonly ChatMessage[] = before;
      const local = localTurn({ human: message("client", "human", "hi"), before: new Set(before.map(({ id }) => id)) });
      const runId = named ? "s.r" : undefined;
      const expected = [...past, "hi"];
      const moments = [
        () => undefined,
        () => void server.push(message("h", "human", "hi", runId)),
        () => void (local.turn = startTurn({ runId: "s.r", requestId: "q" })),
        () => {
          local.turn = streaming("s.r", "Hello");
          expected.push("Hello");
        },
        () => {
          if (local.turn !== undefined) {
            local.turn = { ...local.turn, done: { runId: "s.r", requestId: "q", status: "finished", messageId: "a" } };
          }
        },
        () => void server.push(message("a", "ai", "Hello", runId)),
      ];
      for (const [index, moment] of moments.entries()) {
        moment();
        if (reads[index] === true) stored = [...server];
        expect(shown(stored, [local])).toEqual(expected);
      }
      stored = [...server];
      local.isSettled = true;
      expect(shown(stored, [local])).toEqual(expected);
      expect(isOver(local, stored)).toBe(true);
    }),
    { numRuns },
  );
});

test("a turn is shown after its own message, before the queued messages", () => {
  const stored = [message("h1", "human", "first", "r1"), message("h2", "human", "second", "r2")];
  const turn = localTurn({ turn: streaming("r1", "answer") });
  expect(shown(stored, [turn])).toEqual(["first", "answer", "second"]);
});

test("content that the transcript omits stays: a failure, a component, a failed turn without a text [SD-38]", () => {
  const failure: ChatMessage = { ...message("q-error", "ai", "It broke", "r1"), kind: "error" };
  const component: ChatMessage = { ...message("q-Component-1", "ai", "chart"), kind: "component" };
  const turn = { ...streaming("r1", "half"), messages: [message("q", "ai", "half", "r1"), failure] };
  const local = localTurn({ turn, extras: [component], isSettled: true });
  const asked = message("h", "human", "hi", "r1");
  expect(shown([asked, message("a", "ai", "half", "r1")], [local])).toEqual(["hi", "half", "It broke", "chart"]);
  expect(shown([asked], [local])).toEqual(["hi", "half", "It broke", "chart"]);
  expect(isOver(local, [asked])).toBe(false);
});

test("the stored part of the list keeps its identity while a turn streams", () => {
  const stored = [message("h", "human", "hi", "r1")];
  const local = localTurn({ turn: streaming("r1", "a") });
  const planned = plan(stored, [local]);
  const before = arrange(planned);
  local.turn = streaming("r1", "ab");
  const after = arrange(planned);
  expect([after.stored === before.stored, after.messages[0] === stored[0], after.messages[1]?.content]).toEqual([
    true,
    true,
    "ab",
  ]);
});
