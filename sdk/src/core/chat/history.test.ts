import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { MessagePage, MessageRecord } from "../wire.ts";
import {
  foldNewer,
  foldNewest,
  foldOlder,
  NO_HISTORY,
  shownRecords,
  wholeTranscript,
  type History,
} from "./history.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const record = (id: string, type: "human" | "ai", content = id, runId?: string): MessageRecord => ({
  id,
  type,
  content,
  createdAt: "2026-11-22T10:00:00.000Z",
  isReasoning: false,
  isComplete: true,
  ...(runId === undefined ? {} : { runId }),
});

/** A session has at most one running and five queued turns. */
const UNENDED = 6;

/** A server's pages of turns, the last of which may still run. */
function serverOf(turns: readonly { readonly id: string; readonly ended: boolean }[], limit: number, newer: number) {
  const recordsOf = ({ id, ended }: { id: string; ended: boolean }): MessageRecord[] => [
    record(`${id}h`, "human"),
    ...(ended ? [record(`${id}a`, "ai")] : []),
  ];
  function page(from: number, to: number, cursor: string | null): MessagePage {
    const part = turns.slice(from, to);
    return {
      messages: part.flatMap(recordsOf),
      prevCursor: part[0]?.id ?? null,
      nextCursor: part.findLast(({ ended }) => ended)?.id ?? cursor,
      hasOlder: from > 0,
      hasNewer: to < turns.length,
    };
  }
  const at = (cursor: string): number => turns.findIndex(({ id }) => id === cursor);
  return {
    newest: (limit: number) => page(Math.max(0, turns.length - limit), turns.length, null),
    after: (cursor: string) => page(at(cursor) + 1, Math.min(turns.length, at(cursor) + 1 + newer), cursor),
    before: (cursor: string) => page(Math.max(0, at(cursor) - limit), at(cursor), null),
    all: () => turns.flatMap(recordsOf),
  };
}

const ids = ({ messages }: Pick<History, "messages">) => messages.map(({ id }) => id);

test("pages read in any order give the transcript, and unchanged records keep their identity [SD-36]", () => {
  const steps = fc.array(fc.constantFrom("turn", "end", "newer", "older"), { maxLength: 40 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 7 }), fc.nat({ max: 9 }), (steps, limit, count) => {
      const turns = Array.from({ length: count }, (_, index) => ({ id: `t${index}`, ended: true }));
      const server = serverOf(turns, limit, UNENDED + 1);
      let history = foldNewest(NO_HISTORY, server.newest(limit));
      const readNewer = (): void => {
        for (let more = true; more;) {
          const { nextCursor } = history;
          const page = nextCursor === null ? server.newest(UNENDED + 1) : server.after(nextCursor);
          history = nextCursor === null ? foldNewest(history, page) : foldNewer(history, page);
          more = nextCursor !== null && page.hasNewer && page.nextCursor !== nextCursor;
        }
      };
      for (const step of steps) {
        const before = new Map(history.messages.map((message) => [message.id, message]));
        if (step === "turn" && turns.filter(({ ended }) => !ended).length < UNENDED)
          turns.push({ id: `t${turns.length}`, ended: false });
        if (step === "end") {
          const running = turns.find(({ ended }) => !ended);
          if (running !== undefined) running.ended = true;
        }
        if (step === "newer") readNewer();
        if (step === "older" && history.hasOlder && history.prevCursor !== null) {
          history = foldOlder(history, server.before(history.prevCursor));
        }
        for (const message of history.messages) expect(before.get(message.id) ?? message).toBe(message);
      }
      readNewer();
      while (history.hasOlder && history.prevCursor !== null) {
        history = foldOlder(history, server.before(history.prevCursor));
      }
      expect(ids(history)).toEqual(server.all().map(({ id }) => id));
    }),
    { numRuns },
  );
});

test("the whole transcript of a server without pages is merged by id", () => {
  const first = wholeTranscript(NO_HISTORY, [record("a", "human"), record("b", "ai")]);
  const next = wholeTranscript(first, [record("a", "human"), record("b", "ai", "changed"), record("c", "human")]);
  expect([next.messages[0] === first.messages[0], next.messages[1]?.content, ids(next)]).toEqual([
    true,
    "changed",
    ["a", "b", "c"],
  ]);
  expect(
    wholeTranscript(next, [record("a", "human"), record("b", "ai", "changed"), record("c", "human")]).messages,
  ).toBe(next.messages);
});

/** A record from an oracle that is broken or hostile. */
const storedRecord = (change: object = {}): object => ({
  id: "1",
  type: "ai",
  content: "Hi",
  createdAt: "t",
  ...change,
});

test("a record that cannot be shown is dropped, and so is one that repeats an id [SD-36]", () => {
  const wrong = [
    null,
    "text",
    [],
    storedRecord({ id: 7 }),
    storedRecord({ content: { toString: "x" } }),
    storedRecord({ type: "constructor" }),
    storedRecord({ toolCalls: {} }),
    storedRecord({ toolCalls: [null] }),
  ];
  const right = [
    storedRecord(),
    storedRecord({ id: "__proto__", toolCalls: [{ id: "c", name: "toString", args: {} }] }),
  ];
  const shown = shownRecords([...wrong, ...right, storedRecord({ content: "again" })] as MessageRecord[]);
  expect(shown).toEqual(right);
});
