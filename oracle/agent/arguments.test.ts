/** Validation of call arguments by schemas of any zod version, and tools whose schema cannot be described to a model. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { calling, playTurn, recordsOf } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware } from "../framework/middleware.ts";
import type { PluginTool } from "../framework/tools.ts";
import { describeSchema, ISSUE_SIZE, LISTED_ISSUES } from "./arguments.ts";

/** A schema as another copy of zod creates it: it has the shape, but is not an instance of our classes. */
function anotherCopy(schema: z.ZodType): z.ZodType {
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of ["_zod", "def", "safeParseAsync"]) copy[key] = (schema as unknown as Record<string, unknown>)[key];
  return copy as unknown as z.ZodType;
}

const place = z.object({ city: z.string().transform((city) => city.toUpperCase()), days: z.number().default(1) });

async function callWith(
  schema: PluginTool["schema"],
  input: Record<string, string | number>,
  around: AgentMiddleware[] = [],
) {
  const seen: unknown[] = [];
  const look: PluginTool = { ...tool("look", (args) => void seen.push(args)), schema };
  const { session, model } = await playTurn(
    [[calling("look", input)], ["Done."]],
    [plugin("p", { getTools: () => [look], getMiddlewares: () => around })],
  );
  const [, answer] = await recordsOf(session);
  return { seen, model, call: answer?.toolCalls?.[0] };
}

describe("arguments are checked by the tool's schema [OR-165]", () => {
  test.each([
    ["ours", place],
    ["another copy of zod", anotherCopy(place)],
  ])("%s: the handler gets the parsed arguments, the record keeps what the model wrote", async (_, schema) => {
    const { seen, call, model } = await callWith(schema, { city: "Lusaka" });
    expect(seen).toEqual([{ city: "LUSAKA", days: 1 }]);
    expect(call).toMatchObject({ args: { city: "Lusaka" }, status: "done" });
    expect(model.asked[0]?.tools?.[0]).toMatchObject({
      inputSchema: { properties: { city: { type: "string" } }, required: ["city"] },
    });
    const refused = await callWith(schema, { city: 1 });
    expect([refused.seen, refused.call?.error]).toEqual([
      [],
      "The arguments do not match the tool's parameters (/city Invalid input: expected string, received number): look",
    ]);
  });

  test("arguments are checked after all other middleware, which sees what the model wrote", async () => {
    const noted: unknown[] = [];
    const wrong: AgentMiddleware = {
      name: "wrong",
      wrapToolCall: (request, next) => (noted.push(request.args), next({ ...request, args: { city: 1 } })),
    };
    const { seen, call } = await callWith(place, { city: "Lusaka" }, [wrong]);
    expect([noted, seen, call?.error]).toEqual([
      [{ city: "Lusaka" }],
      [],
      "The arguments do not match the tool's parameters (/city Invalid input: expected string, received number): look",
    ]);
  });

  test("asynchronous refinements are awaited, and an older zod checks too", async () => {
    const slow = z.object({ city: z.string().refine(async (city) => city !== "Nowhere") });
    expect((await callWith(slow, { city: "Nowhere" })).call).toMatchObject({ status: "error" });
    const older = { safeParseAsync: async () => ({ success: false }) } as unknown as z.ZodType;
    expect((await callWith(older, { city: "x" })).call).toMatchObject({ status: "error" });
  });

  test("a JSON Schema validates as zod does [OR-165]", async () => {
    const schema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
    expect((await callWith(schema, { amount: 5 })).seen).toEqual([{ amount: 5 }]);
    const wrong = await callWith(schema, { amount: "1e9" });
    expect([wrong.seen, wrong.call?.error]).toEqual([
      [],
      "The arguments do not match the tool's parameters (/amount must be of type number): look",
    ]);
    expect((await callWith(schema, {})).call?.error).toBe(
      "The arguments do not match the tool's parameters (/amount is missing): look",
    );
    const closed = { ...schema, additionalProperties: false };
    expect((await callWith(closed, { amount: 1, to: "x" })).call).toMatchObject({ status: "error" });
  });

  test("the check of a hostile JSON Schema stays within its limits", async () => {
    const nested = {
      type: "object",
      $defs: { a: { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#/$defs/a" })) } },
    };
    const { call } = await callWith({ ...nested, properties: { city: { $ref: "#/$defs/a" } } }, { city: "x" });
    expect(call?.error).toBe(
      "The arguments do not match the tool's parameters (its schema takes too long to check): look",
    );
    const slow = { type: "object", properties: { city: { type: "string", pattern: "^(a+)+$" } } };
    expect((await callWith(slow, { city: `${"a".repeat(5_000)}!` })).seen).toHaveLength(1);
  });

  test("the model gets up to 5 issues with their paths, 200 units each", async () => {
    expect([LISTED_ISSUES, ISSUE_SIZE]).toEqual([5, 200]);
    const several = z.object({ city: z.string(), trip: z.object({ days: z.array(z.int()) }) });
    const nested = { city: 1, trip: { days: ["x"] } } as unknown as Record<string, string>;
    expect((await callWith(several, nested)).call?.error).toBe(
      "The arguments do not match the tool's parameters (/city Invalid input: expected string, received number; /trip/days/0 Invalid input: expected number, received string): look",
    );
    const long = z.object(
      Object.fromEntries(
        ["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, z.string({ error: "y".repeat(300) })]),
      ),
    );
    const error = (await callWith(long, {})).call?.error ?? "";
    expect(error.split("; ")).toHaveLength(5);
    expect(error.match(/y+/g)?.map(({ length }) => length)).toEqual(
      Array.from({ length: 5 }, () => 200 - "/a ".length),
    );
  });

  test("a schema that throws fails its call, not the turn", async () => {
    const throwing = z.object({
      city: z.string().transform((): string => {
        throw new Error("broken schema");
      }),
    });
    expect((await callWith(throwing, { city: "x" })).call).toMatchObject({
      status: "error",
      error: "The arguments could not be checked: look",
    });
  });
});

describe("a tool that cannot be described to a model is omitted, and the turn has the other tools [OR-165]", () => {
  test.each([
    ["a name with a blank", { ...tool("look up", () => 1) }],
    ["a name of 65 letters", { ...tool("x".repeat(65), () => 1) }],
    ["no name", { ...tool("look", () => 1), name: undefined as unknown as string }],
    ["no schema", { ...tool("look", () => 1), schema: undefined as unknown as z.ZodType }],
    [
      "a JSON Schema that refers to another file",
      {
        ...tool("look", () => 1),
        schema: { type: "object", $ref: "https://example.com/a.json" },
      },
    ],
    ["a schema that is neither", { ...tool("look", () => 1), schema: [] as unknown as z.ZodType }],
  ])("%s", async (_, broken) => {
    const { model, session, done } = await playTurn(
      [["Hi."]],
      [plugin("p", { getTools: () => [broken, tool("kept", () => 1)] })],
    );
    expect(done).toMatchObject({ status: "finished" });
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["kept"]);
    expect(session.logged.map(({ event }) => event)).toContain("tool-left-out");
  });

  test.each<[string, unknown, string]>([
    ["no schema", undefined, "the tool has no schema"],
    ["a text", "z.object", "the schema is neither a zod schema nor a JSON Schema"],
    ["a zod schema of a text", z.string(), "the schema does not describe an object"],
    ["a list", z.array(z.string()), "the schema does not describe an object"],
    [
      "a union",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      "the schema does not describe an object",
    ],
    ["the members of an object without the object", { a: z.string() }, "the schema does not describe an object"],
    ["a JSON Schema of anything", { properties: {} }, "the schema does not describe an object"],
  ])("the log names plugin, tool and reason: %s", async (_, schema, reason) => {
    const odd = { ...tool("odd", () => 1), schema: schema as z.ZodType };
    const { model, session } = await playTurn(
      [["Hi."]],
      [plugin("p", { getTools: () => [odd, tool("kept", () => 1)] })],
    );
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["kept"]);
    expect(session.logged.find(({ event }) => event === "tool-left-out")).toMatchObject({
      plugin: "p",
      tool: "odd",
      reason: expect.stringContaining(reason),
    });
  });

  test("a tool with an unknown visibility is omitted", async () => {
    const odd = { ...tool("odd", () => 1), visibility: "allways" as "always" };
    const { session } = await playTurn([["Hi."]], [plugin("p", { getTools: () => [odd] })]);
    expect(session.logged).toMatchObject([{ event: "tool-left-out", tool: "odd" }, {}]);
  });

  test("a type that JSON Schema cannot express is described as any value", () => {
    expect(describeSchema(z.object({ at: z.date() }))).toMatchObject({ properties: { at: {} } });
  });

  test("a schema is described once", () => {
    expect(describeSchema(place)).toBe(describeSchema(place));
  });
});
