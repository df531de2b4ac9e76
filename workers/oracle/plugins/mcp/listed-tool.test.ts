/** What of a server's list is offered, at its limits, and what counts as a change of a tool. */
import { expect, test } from "vitest";
import { MAX_LIST_SIZE, MAX_TOOLS, readTools } from "./listed-tool.ts";

const inputSchema = { type: "object" as const };
const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `t${index}`, inputSchema }));

test("a list has at most 128 tools, and of one name the first [OR-281]", async () => {
  expect(MAX_TOOLS).toBe(128);
  expect(await readTools("s", named(128))).toMatchObject({ omitted: 0, tools: { length: 128 } });
  expect(await readTools("s", named(129))).toMatchObject({ omitted: 1, tools: { length: 128 } });
  const twice = [
    { name: "t", description: "first", inputSchema },
    { name: "t", description: "second", inputSchema },
  ];
  expect(await readTools("s", twice)).toMatchObject({ omitted: 1, tools: [{ definition: { description: "first" } }] });
});

test("a list has at most 120 KiB [OR-281]", async () => {
  expect(MAX_LIST_SIZE).toBe(120 * 1024);
  const empty = { name: "t", description: "", inputSchema };
  const most = { ...empty, description: "x".repeat(MAX_LIST_SIZE - JSON.stringify(empty).length) };
  expect((await readTools("s", [most])).tools).toHaveLength(1);
  expect((await readTools("s", [{ ...most, description: `${most.description}x` }])).tools).toHaveLength(0);
});

test("name, description and schema make the hash, whatever the order of members; hints make the effect [OR-286, OR-287]", async () => {
  const base = { name: "t", description: "d", inputSchema: { type: "object" as const, properties: { a: {}, b: {} } } };
  const hashOf = async (tool: Parameters<typeof readTools>[1][number]) => (await readTools("s", [tool])).tools[0]?.hash;
  const hash = await hashOf(base);
  expect(await hashOf({ ...base, inputSchema: { properties: { b: {}, a: {} }, type: "object" } })).toBe(hash);
  expect(await hashOf({ ...base, annotations: { readOnlyHint: true } })).toBe(hash);
  for (const change of [{ name: "u" }, { description: "e" }, { inputSchema: { type: "object" as const } }])
    expect(await hashOf({ ...base, ...change })).not.toBe(hash);
  const effects = [
    { readOnlyHint: true },
    { idempotentHint: true },
    { readOnlyHint: false },
    { openWorldHint: true },
  ].map(async (annotations) => (await readTools("s", [{ ...base, annotations }])).tools[0]?.effect);
  expect(await Promise.all(effects)).toEqual(["read", "read", "write", "write"]);
});
