import { expect, test } from "vitest";
import { createClientTools, type ClientTools } from "./client-tools.ts";
import { LATE_TOOL_MS, makeCall, REMEMBERED_CALLS, sendableError, sendableResult } from "./page-calls.ts";

const called = (toolCallId: string) => ({ kind: "browser", toolCallId, toolName: "pageTitle", args: {} }) as const;

function offer(tools: ClientTools, owner: object, result: unknown): void {
  tools.setBrowserTools(owner, [{ toolName: "pageTitle", description: "", schema: {}, fn: async () => result }]);
}

test("a tool that is registered after its call came is run; a changed one in its newest version [SD-87]", async () => {
  const [tools, owner] = [createClientTools(), {}];
  const late = makeCall(tools, "S", called("bt_1:u"));
  tools.setActions({}, [{ name: "pageTitle", description: "", parameters: {}, handler: () => "of another kind" }]);
  offer(tools, owner, "first");
  expect(await late).toEqual({ toolCallId: "bt_1:u", sessionId: "S", result: "first" });
  offer(tools, owner, "second");
  expect(await makeCall(tools, "S", called("bt_2:u"))).toMatchObject({ result: "second" });
});

test("a tool that was removed, or never comes, is refused with a sentence [SD-87]", async () => {
  const [tools, owner] = [createClientTools(), {}];
  offer(tools, owner, "first");
  tools.remove(owner);
  expect(await makeCall(tools, "S", called("bt_1:u"), 1)).toEqual({
    toolCallId: "bt_1:u",
    sessionId: "S",
    error: "This page has no browser tool pageTitle.",
  });
  // The oracle waits 15,000 ms for the result.
  expect(LATE_TOOL_MS).toBe(5000);
});

test("the last 1,000 calls are remembered [SD-88]", async () => {
  const tools = createClientTools();
  let times = 0;
  tools.setBrowserTools({}, [{ toolName: "pageTitle", description: "", schema: {}, fn: async () => (times += 1) }]);
  expect(REMEMBERED_CALLS).toBe(1000);
  await makeCall(tools, "S", called("first"));
  for (let nth = 1; nth < REMEMBERED_CALLS; nth += 1) await makeCall(tools, "S", called(`bt_${nth}`));
  expect(await makeCall(tools, "S", called("first"))).toBeUndefined();
  await makeCall(tools, "S", called("one more"));
  expect(await makeCall(tools, "S", called("first"))).toBeDefined();
  expect(times).toBe(REMEMBERED_CALLS + 2);
});

/** A text whose JSON, with its quotes, has this many bytes. */
const ofBytes = (bytes: number): string => "x".repeat(bytes - 2);

test("a result of 900,000 bytes of JSON is sent, one byte more is an error [SD-90]", () => {
  expect(sendableResult("pageTitle", ofBytes(900_000))).toHaveLength(899_998);
  expect(() => sendableResult("pageTitle", ofBytes(900_001))).toThrow("900001 bytes of JSON, more than 900000");
  // Bytes, not characters.
  expect(() => sendableResult("pageTitle", "é".repeat(450_000))).toThrow("900002 bytes of JSON");
});

test("a result is sent as JSON has it [SD-90]", () => {
  const date = new Date(0);
  expect(sendableResult("now", { date, none: undefined, list: [undefined] })).toEqual({
    date: "1970-01-01T00:00:00.000Z",
    list: [null],
  });
  expect(sendableResult("now", undefined)).toBeNull();
  for (const result of [() => "a function", Symbol("s")])
    expect(() => sendableResult("now", result)).toThrow(
      `The result of now cannot be sent: JSON cannot represent the type ${typeof result}.`,
    );
  expect(() => sendableResult("now", { file: new Blob(["x"]) })).toThrow("it contains binary data");
});

test("an error is a sentence of at most 2,000 characters [SD-90]", () => {
  expect(sendableError("pageTitle", new Error("x".repeat(2001)))).toHaveLength(2000);
  expect(sendableError("pageTitle", "a text")).toBe("a text");
  expect([sendableError("pageTitle", new Error()), sendableError("pageTitle", { code: 1 })]).toEqual([
    "pageTitle failed.",
    "pageTitle failed.",
  ]);
});
