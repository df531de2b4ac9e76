import { expect, test } from "vitest";
import * as z from "zod";
import { createClientTools, type ActionTool, type BrowserTool } from "./client-tools.ts";

const titled = (toolName: string, fn: () => Promise<unknown> = async () => toolName): BrowserTool => ({
  toolName,
  description: `does ${toolName}`,
  schema: z.object({ of: z.string().default("this") }),
  fn,
});
const acting = (name: string): ActionTool => ({
  name,
  description: `does ${name}`,
  parameters: z.object({}),
  handler: () => name,
});

test("a message declares the tools and actions of all components, each with its schema [SD-82]", async () => {
  const tools = createClientTools();
  tools.setBrowserTools({}, [titled("pageTitle")]);
  tools.setActions({}, [{ ...acting("open_map"), hasRender: true }]);
  expect(await tools.declarations()).toMatchObject({
    tools: [{ name: "pageTitle", description: "does pageTitle", schema: { properties: { of: { type: "string" } } } }],
    agActions: [{ name: "open_map", description: "does open_map", schema: { type: "object" }, hasRender: true }],
  });
});

test("a schema is converted once, and read when it is needed [SD-82]", async () => {
  const tools = createClientTools();
  const schema = z.object({ of: z.string() });
  let reads = 0;
  const tool = { ...titled("pageTitle") };
  Object.defineProperty(tool, "schema", { get: () => ((reads += 1), schema) });
  tools.setBrowserTools({}, [tool]);
  expect(reads).toBe(0);
  const [first, second] = [await tools.declarations(), await tools.declarations()];
  expect(first.tools[0]?.schema).toBe(second.tools[0]?.schema);
});

test("if two components register the same tool name, the newer one wins until it is removed [SD-83]", async () => {
  const tools = createClientTools();
  const [older, newer] = [{}, {}];
  tools.setBrowserTools(older, [titled("pageTitle", async () => "older")]);
  tools.setBrowserTools(newer, [titled("pageTitle", async () => "newer")]);
  tools.setBrowserTools(older, [titled("pageTitle", async () => "older again")]);
  expect(await tools.callBrowserTool("pageTitle", {})).toBe("newer");
  tools.remove(newer);
  expect(await tools.callBrowserTool("pageTitle", {})).toBe("older again");
  expect((await tools.declarations()).tools).toHaveLength(1);
});

test("listeners are called for changed names, not for changed handlers [SD-83]", () => {
  const tools = createClientTools();
  const owner = {};
  const heard: unknown[] = [];
  const unsubscribe = tools.subscribe(() => void heard.push(tools.names()));
  tools.setBrowserTools(owner, [titled("pageTitle")]);
  tools.setBrowserTools(owner, [titled("pageTitle")]);
  tools.setActions(owner, [acting("open_map")]);
  tools.remove(owner);
  tools.remove(owner);
  unsubscribe();
  tools.setActions(owner, [acting("open_map")]);
  expect(heard).toEqual([
    { tools: ["pageTitle"], actions: [] },
    { tools: ["pageTitle"], actions: ["open_map"] },
    { tools: [], actions: [] },
  ]);
});

test("a name that an oracle would drop is refused at registration [SD-84]", () => {
  const tools = createClientTools();
  for (const name of ["", "a b", "käse", "x".repeat(65)]) {
    expect(() => tools.setBrowserTools({}, [titled(name)])).toThrow(/needs a name of 1 to 64 letters, digits, _ and -/);
  }
  expect(() => tools.setActions({}, [acting("approve_tool")])).toThrow("only the user can answer it");
  tools.setBrowserTools({}, [titled("x".repeat(64))]);
  expect(tools.names().tools).toHaveLength(1);
});

test("a page offers 64 tools and 64 actions [SD-84]", () => {
  const tools = createClientTools();
  const many = Array.from({ length: 64 }, (_, index) => `tool_${index}`);
  const last = {};
  tools.setBrowserTools(
    {},
    many.map((name) => titled(name)),
  );
  tools.setActions({}, many.map(acting));
  expect(() => tools.setBrowserTools(last, [titled("one_more")])).toThrow("at most 64 tools of a kind, not 65");
  tools.setBrowserTools(last, [titled("tool_0")]);
  expect(tools.names().tools).toHaveLength(64);
});

test("the error of a schema that is larger than 32 KiB or cannot be converted names its tool [SD-80]", async () => {
  const tools = createClientTools();
  const owner = {};
  const ofBytes = (bytes: number): BrowserTool => {
    const schema = { description: "" };
    schema.description = "x".repeat(bytes - JSON.stringify(schema).length);
    return { ...titled("large"), schema };
  };
  tools.setBrowserTools(owner, [ofBytes(32_768)]);
  expect((await tools.declarations()).tools).toHaveLength(1);
  tools.setBrowserTools(owner, [ofBytes(32_769)]);
  await expect(tools.declarations()).rejects.toThrow(
    "The tool large cannot be offered: its schema has 32769 bytes of JSON, more than 32768.",
  );
  tools.setBrowserTools(owner, [{ ...titled("odd"), schema: "string" }]);
  await expect(tools.declarations()).rejects.toThrow("The tool odd cannot be offered: the schema is not an object.");
});

test("a handler gets parsed arguments, and its result or error is returned [SD-81]", async () => {
  const tools = createClientTools();
  const owner = {};
  const given: unknown[] = [];
  tools.setActions(owner, [
    {
      name: "open_map",
      description: "",
      parameters: z.object({ at: z.string().transform((text) => text.length), zoom: z.int().default(3) }),
      handler: (args) => void given.push(args),
    },
  ]);
  await tools.callAction("open_map", { at: "here" });
  expect(given).toEqual([{ at: 4, zoom: 3 }]);
  await expect(tools.callAction("open_map", {})).rejects.toThrow(
    /^The arguments of open_map do not match its schema: at: /,
  );
  expect(given).toHaveLength(1);
  await expect(tools.callBrowserTool("open_map", {})).rejects.toThrow("This page has no browser tool open_map.");
  tools.remove(owner);
  await expect(tools.callAction("open_map", { at: "here" })).rejects.toThrow("This page has no action open_map.");
});
