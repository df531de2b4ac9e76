import { expect, test } from "vitest";
import * as z from "zod";
import { createActionRegistry, type RegisteredAction } from "./action-registry.ts";

const action = (change: Partial<RegisteredAction> = {}): RegisteredAction => ({
  name: "add",
  description: "Adds",
  parameters: z.object({ n: z.number().default(1) }),
  handler: (args) => (args as { n: number }).n + 1,
  ...change,
});

test("an action gets parsed arguments, and an unknown one is refused [SD-130]", async () => {
  const registry = createActionRegistry();
  registry.set({}, [action()]);
  expect(await registry.execute("add", {})).toBe(2);
  await expect(registry.execute("add", { n: "x" })).rejects.toThrow("expected number");
  await expect(registry.execute("gone", {})).rejects.toThrow("AG-UI action 'gone' not found");
});

test("the list keeps its identity while only functions and schemas change, which are read when needed [SD-124]", () => {
  const registry = createActionRegistry();
  const owner = {};
  registry.set(owner, [action()]);
  const [list, tools] = [registry.list(), registry.tools()];
  const parameters = z.object({ n: z.literal(5) });
  registry.set(owner, [action({ parameters, handler: () => "new" })]);
  expect(registry.list()).toBe(list);
  expect(registry.tools()).toBe(tools);
  expect(list[0]?.parameters).toBe(parameters);
  expect(tools[0]?.parameters).toBe(parameters);
  expect(tools[0]?.handler({} as never)).toBe("new");
  registry.set(owner, [action({ description: "Adds more" })]);
  expect(registry.list()).not.toBe(list);
});

test("if two actions have the same name, the newest wins, and the older one returns when it is removed [SD-130]", () => {
  const registry = createActionRegistry();
  const [first, second] = [{}, {}];
  registry.set(first, [action({ description: "first" })]);
  registry.set(second, [action({ description: "second", render: () => null })]);
  registry.set(first, [action({ description: "first" })]);
  expect(registry.list()).toMatchObject([{ name: "add", description: "second", hasRender: true }]);
  registry.remove(second);
  expect(registry.list()).toMatchObject([{ name: "add", description: "first", hasRender: false }]);
  registry.remove(first);
  expect(registry.list()).toEqual([]);
  expect(registry.find("add")).toBeUndefined();
});

test("listeners are called for each change until they unsubscribe", () => {
  const registry = createActionRegistry();
  const seen: number[] = [];
  const stop = registry.subscribe(() => seen.push(registry.list().length));
  const owner = {};
  registry.set(owner, [action()]);
  registry.remove(owner);
  registry.remove(owner);
  stop();
  registry.set(owner, [action()]);
  expect(seen).toEqual([1, 0]);
});
