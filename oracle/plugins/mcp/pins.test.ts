/** Which versions of a pinned server's tools may be used. */
import { expect, test } from "vitest";
import type { ListedTool } from "./listed-tool.ts";
import { acceptedTools, pinsWith } from "./pins.ts";

const tool = (name: string, hash: string): ListedTool => ({
  name,
  modelName: `s__${name}`,
  hash,
  definition: { name, inputSchema: { type: "object" } },
});

test("the first version is accepted, another one waits, and the first may return [OR-288]", () => {
  const first = pinsWith({}, [tool("a", "1"), tool("b", "1")]);
  expect(first).toEqual({ a: { accepted: "1" }, b: { accepted: "1" } });
  expect(pinsWith(first, [tool("b", "1")])).toBe(first);
  const changed = [tool("a", "2"), tool("b", "1")];
  const waiting = pinsWith(first, changed);
  expect(waiting).toEqual({ a: { accepted: "1", waiting: "2" }, b: { accepted: "1" } });
  expect(acceptedTools(waiting, changed)).toEqual({ tools: [changed[1]], waiting: ["a"] });
  expect(pinsWith(waiting, changed)).toBe(waiting);
  expect(pinsWith(waiting, [tool("a", "1")])).toEqual(first);
});

test("a version that was accepted before digests had annotations stays accepted, and is stored under its new digest [OR-288]", () => {
  const now = { ...tool("a", "2"), earlierHash: "1" };
  expect(pinsWith({ a: { accepted: "1" } }, [now])).toEqual({ a: { accepted: "2" } });
  expect(acceptedTools({ a: { accepted: "1" } }, [now]).waiting).toEqual([]);
});

test("a tool named like an inherited object member is a normal tool [OR-288]", () => {
  const tools = [tool("constructor", "1"), tool("toString", "1")];
  expect(acceptedTools({}, tools)).toEqual({ tools: [], waiting: ["constructor", "toString"] });
  expect(acceptedTools(pinsWith({}, tools), tools).waiting).toEqual([]);
});
