/** The schemas of every zod version that an application may use, from the real packages under aliases. */
import { describe, expect, test } from "vitest";
import * as zod4 from "zod";
import * as zodMini from "zod/mini";
import { z as zod3 } from "zod-3";
import { z as zod4In3 } from "zod-3/v4";
// @ts-expect-error Its package.json does not say where its types are.
import { z as lowestZod3 } from "zod-3-5";
import * as lowestZod4 from "zod-4-0";
import { z as zod3In4 } from "zod/v3";
import { parseArguments, toJsonSchema } from "./schema.ts";

/** The members that the versions share, under shared types. */
interface Builder {
  object(shape: object): unknown;
  string(): { min(length: number): Described; transform(change: (text: string) => unknown): unknown };
  number(): { int(): { optional(): unknown } };
  enum(words: readonly string[]): { default(word: string): unknown };
  array(item: unknown): unknown;
  date(): unknown;
}

interface Described {
  /** From zod 3.8 on. */
  describe?(text: string): Described;
}

const versions: readonly (readonly [string, unknown])[] = [
  ["zod 3.5, the lowest", lowestZod3],
  ["zod 3.25", zod3],
  ["zod/v3 of zod 4", zod3In4],
  ["zod/v4 of zod 3.25", zod4In3],
  ["zod 4.0", lowestZod4],
  ["zod 4", zod4],
];

describe.each(versions)("%s", (_, version) => {
  const z = version as Builder;
  const schema = z.object({
    city: z.string().min(2),
    days: z.number().int().optional(),
    unit: z.enum(["c", "f"]).default("c"),
    stops: z.array(z.object({ name: z.string().transform((text) => text.length) })),
    from: z.date(),
  });

  test("the oracle gets the schema of valid input [SD-80]", async () => {
    expect(await toJsonSchema(schema)).toMatchObject({
      type: "object",
      properties: {
        city: { type: "string", minLength: 2 },
        days: { type: "integer" },
        unit: { type: "string", enum: ["c", "f"], default: "c" },
        stops: {
          type: "array",
          items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
        from: { type: "string", format: "date-time" },
      },
      required: ["city", "stops", "from"],
    });
  });

  test("defaults and transformations are applied; a refusal names the path [SD-81]", async () => {
    const from = new Date(0);
    expect(await parseArguments("plan", schema, { city: "Oslo", stops: [{ name: "abc" }], from })).toEqual({
      city: "Oslo",
      unit: "c",
      stops: [{ name: 3 }],
      from,
    });
    await expect(parseArguments("plan", schema, { city: "Oslo", stops: [{ name: 1 }], from })).rejects.toThrow(
      /^The arguments of plan do not match its schema: stops\.0\.name: .*string.*\.$/,
    );
  });

  test("descriptions are kept if the version has them [SD-80]", async () => {
    const city = z.string().min(2);
    if (city.describe === undefined) return;
    const described = await toJsonSchema(z.object({ city: city.describe("where") }));
    expect(described["properties"]).toEqual({ city: { type: "string", minLength: 2, description: "where" } });
  });

  test("a schema that is not an object schema is refused [SD-80]", async () => {
    await expect(toJsonSchema(z.array(z.date()))).rejects.toThrow("the arguments must be an object, not of type array");
  });
});

test("for a pipe, the oracle gets the schema of the input [SD-80]", async () => {
  const expected = { properties: { days: { type: "string" } } };
  const inZod3 = zod3.object({ days: zod3.string().pipe(zod3.coerce.number()) });
  expect(await toJsonSchema(inZod3)).toMatchObject(expected);
  const inZod4 = zod4.object({ days: zod4.string().pipe(zod4.coerce.number()) });
  expect(await toJsonSchema(inZod4)).toMatchObject(expected);
});

test("a schema of zod/mini has its members too [SD-80]", async () => {
  const schema = zodMini.object({ city: zodMini.string(), days: zodMini.optional(zodMini.number()) });
  expect(await toJsonSchema(schema)).toMatchObject({
    properties: { city: { type: "string" }, days: { type: "number" } },
    required: ["city"],
  });
});

test("a JSON schema is used unchanged, and its arguments as the oracle validated them [SD-80]", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } } };
  expect(await toJsonSchema(schema)).toBe(schema);
  expect(await parseArguments("plan", schema, { city: "Oslo" })).toEqual({ city: "Oslo" });
});

test.each([
  ["nothing", undefined, "the schema is not an object"],
  ["zod before 3.5", { _def: { t: "object" } }, "schemas of zod 3 need zod 3.5 or newer"],
  ["another library's", new Map(), "the schema is neither of zod 3 or 4 nor a JSON schema"],
])("%s is refused with a sentence, never sent empty [SD-80]", async (_, schema, message) => {
  await expect(toJsonSchema(schema)).rejects.toThrow(message);
});
