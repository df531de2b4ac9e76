import { expect, test } from "vitest";
import { createClientTools, type ClientTools } from "./client-tools.ts";
import { LATE_TOOL_MS, makeCall, REMEMBERED_CALLS } from "./page-calls.ts";

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
