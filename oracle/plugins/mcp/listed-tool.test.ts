/** Which tools of a server's list are offered, the limits, and changes of a tool. */
import { expect, test } from "vitest";
import { effectOf, isVersion, MAX_LIST_SIZE, needsApproval, readTools, type ListedTool } from "./listed-tool.ts";
import { MAX_TOOLS } from "./settings.ts";

const inputSchema = { type: "object" as const };
const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `t${index}`, inputSchema }));

test("a list has at most 128 tools, and the first tool of a name wins [OR-281]", async () => {
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

const base = { name: "t", description: "d", inputSchema: { type: "object" as const, properties: { a: {}, b: {} } } };

async function listed(tool: Parameters<typeof readTools>[1][number]): Promise<ListedTool> {
  const [first] = (await readTools("s", [tool])).tools;
  if (first === undefined) throw new Error("the tool is not listed");
  return first;
}

test("name, description, schema and annotations determine the hash, whatever the order of members [OR-287]", async () => {
  const { hash } = await listed(base);
  expect((await listed({ ...base, inputSchema: { properties: { b: {}, a: {} }, type: "object" } })).hash).toBe(hash);
  for (const change of [
    { name: "u" },
    { description: "e" },
    { inputSchema: { type: "object" as const } },
    { annotations: { readOnlyHint: true } },
  ])
    expect((await listed({ ...base, ...change })).hash).not.toBe(hash);
});

test("a digest stored by an earlier version still identifies the tool until its annotations change [OR-287]", async () => {
  const plain = await listed(base);
  const annotated = await listed({ ...base, annotations: { readOnlyHint: true } });
  expect(isVersion(annotated, plain.earlierHash)).toBe(true);
  expect(isVersion(annotated, plain.hash)).toBe(false);
  expect(isVersion(annotated, undefined)).toBe(false);
});

test("hints count only for a trusted server; the operator's own list always counts [OR-286, OR-500]", async () => {
  const hints = [
    {},
    { readOnlyHint: true },
    { idempotentHint: true },
    { readOnlyHint: false },
    { openWorldHint: true },
  ];
  const tools = await Promise.all(hints.map((annotations) => listed({ ...base, annotations })));
  const server = (change: object) => ({ trusted: false, readOnlyTools: [], approval: "writes" as const, ...change });
  const judged = (change: object) =>
    tools.map((tool) => `${effectOf(server(change), tool)}${needsApproval(server(change), tool) ? ", asks" : ""}`);
  expect(judged({})).toEqual(hints.map(() => "write, asks"));
  expect(judged({ trusted: true })).toEqual(["write, asks", "read", "read, asks", "write, asks", "write, asks"]);
  expect(judged({ readOnlyTools: ["t"] })).toEqual(hints.map(() => "read"));
  expect(judged({ approval: "never" })).toEqual(hints.map(() => "write"));
  expect(judged({ approval: "always", trusted: true, readOnlyTools: ["t"] })).toEqual(hints.map(() => "read, asks"));
});
