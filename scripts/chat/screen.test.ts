import { describe, expect, test } from "vitest";
import { nextAnswer } from "./answer.ts";
import { createScreen } from "./screen.ts";
import type { TurnEvent } from "./wire.ts";

/** Shows `events` and answers what a terminal would, and what each of the two streams got. */
function show(events: readonly TurnEvent[], colours = false) {
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
    const step = nextAnswer(shown, event);
    shown = step.text;
    screen.show(event, step.change);
  }
  return { both, answer };
}

const message = (content: string): TurnEvent => ({ event: "message", data: { content } });
const thinking: TurnEvent = { event: "reasoning", data: { reasoning: "Thinking..." } };
const thought: TurnEvent = { event: "reasoning", data: { reasoning: "" } };
const resumed = (partialLength: number): TurnEvent => ({
  event: "run",
  data: { runId: "r", resumed: true, partialLength },
});
const done = (status: "finished" | "failed" | "aborted" | "interrupted"): TurnEvent => ({
  event: "done",
  data: { status },
});
const error = (retryable: boolean): TurnEvent => ({
  event: "error",
  data: { error: "Slow down", kind: "rate_limit", retryable },
});
const tool = (status: "isRunning" | "done" | "error", eventId = "tc_1"): TurnEvent => ({
  event: "tool_call",
  data: {
    toolName: "search_domains",
    args: { query: "stove", toolName: "search_domains" },
    status,
    eventId,
    ...(status === "done" ? { output: "[]" } : {}),
    ...(status === "error" ? { error: "no such domain" } : {}),
  },
});

test("the worked example of the contract", () => {
  const events = [thinking, tool("isRunning"), tool("done"), message("Tool search_domains "), message("returned: []")];
  expect(show([...events, thought, done("finished")])).toEqual({
    both: [
      "Thinking...",
      '* search_domains {"query":"stove"} ... done: []',
      "Tool search_domains returned: []",
      "",
    ].join("\n"),
    answer: "Tool search_domains returned: []\n",
  });
});

describe("a tool call", () => {
  test("that ends after something else was shown gets a line of its own", () => {
    expect(show([tool("isRunning"), message("Meanwhile"), tool("error"), done("finished")]).both).toBe(
      [
        '* search_domains {"query":"stove"} ...',
        "Meanwhile",
        '* search_domains {"query":"stove"} error: no such domain',
        "",
      ].join("\n"),
    );
  });

  test("does not take the ending of another one", () => {
    expect(show([tool("isRunning", "tc_1"), tool("done", "tc_2")]).both.split("\n")).toHaveLength(3);
  });

  test("is one line, however long and broken its output", () => {
    const output = "line\n".repeat(1000);
    const data = { toolName: "t", args: {}, status: "done", output, toolCallId: "ag_1" } as const;
    const { both } = show([{ event: "action_call", data }]);
    expect(both.split("\n")).toHaveLength(2);
    expect(both.length).toBeLessThan(150);
  });
});

describe("a restart of the server", () => {
  test("is told, and the answer goes on when nothing was lost", () => {
    const { both, answer } = show([message("part 1 "), resumed(7), message("part 2"), done("finished")]);
    expect(both).toBe("part 1 \nThe server was restarted and goes on with the answer.\npart 2\n");
    expect(answer).toBe("part 1 part 2\n");
  });

  test("that takes text back says so in the answer and shows it again from its start", () => {
    const { answer } = show([message("Kept. "), message("Lost"), resumed(6), message("New."), done("finished")]);
    expect(answer).toBe('Kept. Lost\n--- taken back: "Lost". The answer as it stands: ---\nKept. New.\n');
  });

  test("that takes text back does not let that text steer the terminal either", () => {
    expect(show([message("a\u001b[2Jb"), resumed(1), done("finished")]).both).not.toContain("\u001b");
  });
});

describe("an ending", () => {
  test.each([
    ["failed", "The turn failed."],
    ["aborted", "The answer was stopped."],
    ["interrupted", "The server was restarted too often and gave up the answer."],
  ] as const)("as %s is said", (status, sentence) => {
    expect(show([message("Starting "), done(status)]).both).toBe(`Starting \n${sentence}\n`);
  });

  test("of an answer that broke its last line itself adds no empty line", () => {
    expect(show([message("Hello\n"), done("finished")]).answer).toBe("Hello\n");
  });

  test("tells that a permission was missing", () => {
    const { both } = show([{ event: "done", data: { status: "finished", delegationRequired: true } }]);
    expect(both).toContain("permission");
  });
});

test("an error is said with its kind, whether it may pass, and when", () => {
  expect(show([error(true)]).both).toBe("Slow down (rate_limit, may pass)\n");
  expect(show([error(false)]).both).toBe("Slow down (rate_limit)\n");
  const later: TurnEvent = {
    event: "error",
    data: { error: "Slow down", kind: "rate_limit", retryable: true, retryAfterMs: 89_500 },
  };
  expect(show([later]).both).toBe("Slow down (rate_limit, may pass in 90 s)\n");
});

test("what the model thinks stands on a line of its own, however it is cut", () => {
  const thoughts = ["Two and ", "two."].map((reasoning): TurnEvent => ({ event: "reasoning", data: { reasoning } }));
  expect(show([thinking, ...thoughts, message("Four.")]).both).toBe("Thinking...\nTwo and two.\nFour.");
});

test("colours are for terminals: without them nothing but text is written", () => {
  const events = [thinking, tool("isRunning"), message("Hello"), done("failed")];
  expect(show(events, true).both).toContain("\u001b[2mThinking...\u001b[22m");
  expect(show(events).both).not.toContain("\u001b");
});

test("the text of a model cannot steer the terminal", () => {
  const { both } = show([message("a\u001b[2Jb\r\u0007c\u009bd\n\te"), done("finished")]);
  expect(both).toBe("a[2Jbcd\n\te\n");
});
