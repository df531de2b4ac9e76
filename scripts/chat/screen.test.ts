import { describe, expect, test } from "vitest";
import type { FrameData, RunEvent } from "../../protocol/frames.ts";
import { createScreen } from "./screen.ts";
import { nextAnswer } from "./answer-change.ts";

/** Shows `events` and returns the terminal's text, and the text of standard output. */
function show(events: readonly RunEvent[], colours = false) {
  let both = "";
  let answer = "";
  const screen = createScreen({
    answer: (text) => {
      both += text;
      answer += text;
    },
    note: (text) => {
      both += text;
    },
    colours: { answer: colours, note: colours },
  });
  let shown = "";
  for (const event of events) {
    const next = nextAnswer(shown, event);
    shown = next.text;
    screen.show(event, next.change);
  }
  return { both, answer };
}

const ids = { sessionId: "s", runId: "r", requestId: "q" };
const timestamp = "2026-11-22T10:00:00.000Z";
const message = (content: string): RunEvent => ({ event: "message", data: { content, timestamp } });
const thought = (reasoning: string): RunEvent => ({
  event: "reasoning",
  data: { ...ids, reasoning, isComplete: reasoning === "", timestamp },
});
const resumed = (partialLength: number): RunEvent => ({ event: "run", data: { ...ids, resumed: true, partialLength } });
const done = (status: FrameData<"done">["status"], more: Partial<FrameData<"done">> = {}): RunEvent => ({
  event: "done",
  data: { ...ids, status, ...more },
});
const error = (more: Partial<FrameData<"error">>): RunEvent => ({
  event: "error",
  data: {
    ...ids,
    error: "Slow down",
    kind: "rate_limit",
    code: "model_rate_limited",
    retryable: true,
    timestamp,
    ...more,
  },
});
const tool = (status: "isRunning" | "done" | "error", eventId = "tc_1", output = "[]"): RunEvent => ({
  event: "tool_call",
  data: {
    ...ids,
    toolName: "search_domains",
    args: { query: "stove", toolName: "search_domains" },
    status,
    eventId,
    ...(status === "done" ? { output } : {}),
    ...(status === "error" ? { error: "no such domain" } : {}),
  },
});

test("a run with a tool call prints its answer on standard output, and everything together on the terminal", () => {
  const events = [thought("Thinking..."), tool("isRunning"), tool("done"), message("It returned "), message("[]")];
  expect(show([...events, thought(""), done("finished")])).toEqual({
    both: 'Thinking...\n* search_domains {"query":"stove"} ... done: []\nIt returned []\n',
    answer: "It returned []\n",
  });
});

describe("a tool call", () => {
  test("that ends after other output gets its own line", () => {
    expect(show([tool("isRunning"), message("Meanwhile"), tool("error"), done("finished")]).both).toBe(
      '* search_domains {"query":"stove"} ...\nMeanwhile\n* search_domains {"query":"stove"} error: no such domain\n',
    );
    expect(show([tool("isRunning", "tc_1"), tool("done", "tc_2")]).both.split("\n")).toHaveLength(3);
  });

  test("is one short line, whatever its output", () => {
    const { both } = show([tool("done", "tc_1", "line\n".repeat(1000))]);
    expect([both.split("\n").length, both.length < 200]).toEqual([2, true]);
  });
});

test("a restart that withdraws text marks it in the answer, and shows the remaining text again", () => {
  const { both, answer } = show([message("Kept. "), message("Lost"), resumed(6), message("New."), done("finished")]);
  expect(both).toContain("The server was restarted and continues the answer.\n");
  expect(answer).toBe('Kept. Lost\n--- withdrawn: "Lost". The answer so far: ---\nKept. New.\n');
});

test.each([
  ["failed", "The run failed."],
  ["aborted", "The answer was stopped."],
  ["interrupted", "The server was restarted too often, so it gave up this answer."],
] as const)("a run that ends as %s says so", (status, sentence) => {
  expect(show([message("Starting "), done(status)]).both).toBe(`Starting \n${sentence}\n`);
});

test("a missing permission is mentioned", () => {
  expect(show([done("finished", { delegationRequired: true })]).both).toContain("permission");
});

test("an error is shown with its kind, and whether and when to retry", () => {
  expect(show([error({})]).both).toBe("Slow down (model_rate_limited, may pass)\n");
  expect(show([error({ retryable: false })]).both).toBe("Slow down (model_rate_limited)\n");
  expect(show([error({ retryAfterMs: 89_500 })]).both).toBe("Slow down (model_rate_limited, may pass in 90 s)\n");
});

test("a notice is its sentence only: the run continues", () => {
  const weather = error({ error: "This weather is made up.", code: "notice", kind: "unknown", retryable: false });
  expect(show([weather]).both).toBe("This weather is made up.\n");
});

test("reasoning is one line, however it is split", () => {
  expect(show([thought("Thinking..."), thought("Two and "), thought("two."), message("Four.")]).both).toBe(
    "Thinking...\nTwo and two.\nFour.",
  );
});

test("colours are for terminals only", () => {
  const events = [thought("Thinking..."), tool("isRunning"), message("Hello"), done("failed")];
  expect(show(events, true).both).toContain("\u001b[2mThinking...\u001b[22m");
  expect(show(events).both).not.toContain("\u001b");
});

test("the text of a model cannot control the terminal", () => {
  expect(show([message("a\u001b[2Jb\r\u0007c\u009bd\n\te"), done("finished")]).both).toBe("a[2Jbcd\n\te\n");
  expect(show([message("a\u001b[2Jb"), resumed(1), done("finished")]).both).not.toContain("\u001b");
});
