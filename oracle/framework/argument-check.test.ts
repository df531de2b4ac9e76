/** Which values fit a client's schema; the check of an untrusted schema ends in bounded time. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import { findMismatch } from "./argument-check.ts";
import { MAX_SUBSCHEMAS, readArgumentSchema } from "./argument-schema.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

function fits(schema: JsonObject, value: JsonValue): boolean {
  const read = readArgumentSchema({ properties: { x: schema } });
  if (!read.ok) throw new Error(read.error);
  return findMismatch(read.value, { x: value }) === undefined;
}

function refusal(schema: JsonObject): string | undefined {
  const read = readArgumentSchema(schema);
  return read.ok ? undefined : read.error;
}

describe("an empty schema means any object [OR-94]", () => {
  test.each<JsonObject>([{}, { $schema: "http://json-schema.org/draft-07/schema#" }, { type: "object" }])(
    "%j",
    (schema) => {
      const read = readArgumentSchema(schema);
      expect(read).toMatchObject({ ok: true, value: { ...schema, type: "object", properties: {} } });
      expect(read.ok && findMismatch(read.value, { anything: [1, { goes: null }] })).toBeUndefined();
    },
  );

  test("and only an object", () => {
    expect(findMismatch({ type: "object" }, "text")).toBe("the arguments must be of type object");
  });
});

describe("keywords [OR-96]", () => {
  test.each<[JsonObject, readonly JsonValue[], readonly JsonValue[]]>([
    [{ type: "string" }, ["", "a"], [1, null, {}, []]],
    [{ type: ["string", "null"] }, ["a", null], [1]],
    [{ type: "integer" }, [1, -3, 2], [1.5, "1"]],
    [{ type: "array" }, [[]], [{}]],
    [{ type: "object" }, [{}], [[], null]],
    [{ type: "boolean" }, [true, false], [0, "true"]],
    [{ enum: ["a", 1, null, { b: [1], c: 2 }] }, ["a", 1, null, { c: 2, b: [1] }], ["b", 2, { b: [1] }, "1"]],
    [{ const: { a: 1 } }, [{ a: 1 }], [{ a: 2 }, 1]],
    [{ minLength: 2, maxLength: 3 }, ["ab", "abc", "🙂🙂", 5], ["a", "abcd"]],
    [{ minimum: 1, maximum: 2 }, [1, 2, 1.5, "x"], [0.9, 2.1]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
    [{ multipleOf: 0.1 }, [0.3, 1, 0], [0.35]],
    [{ properties: { a: { type: "string" } }, required: ["a"] }, [{ a: "x" }, { a: "x", b: 1 }], [{}, { a: 1 }]],
    [{ properties: { a: true }, additionalProperties: false }, [{}, { a: 1 }], [{ b: 1 }]],
    [{ additionalProperties: { type: "number" } }, [{ a: 1 }], [{ a: "1" }]],
    [{ propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]],
    [{ dependentRequired: { a: ["b"] } }, [{ b: 1 }, { a: 1, b: 2 }], [{ a: 1 }]],
    [{ dependentSchemas: { a: { required: ["b"] } } }, [{}, { a: 1, b: 2 }], [{ a: 1 }]],
    [{ items: { type: "number" } }, [[], [1, 2]], [[1, "2"]]],
    [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a"], ["a", 1]], [[1], ["a", "b"]]],
    [{ items: [{ type: "string" }], additionalItems: false }, [["a"]], [["a", 1]]],
    [{ minItems: 1, maxItems: 2 }, [[1]], [[], [1, 2, 3]]],
    [
      { uniqueItems: true },
      [[1, "1", { a: 1 }]],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ contains: { type: "string" }, maxContains: 1 }, [["a", 1]], [[1], ["a", "b"]]],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [3]],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, ["a", 1], [null]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], [1.5]],
    [{ not: { type: "string" } }, [1], ["a"]],
    [JSON.parse('{"if":{"type":"string"},"then":{"minLength":1},"else":{"minimum":1}}'), ["a", 1], ["", 0]],
    // The time of an untrusted regular expression is unbounded, and `format` is an annotation.
    [{ pattern: "^(a+)+$", format: "email", patternProperties: { "^a": false } }, ["b", { a: 1 }], []],
  ])("%j", (schema, good, bad) => {
    expect(good.filter((value) => !fits(schema, value))).toEqual([]);
    expect(bad.filter((value) => fits(schema, value))).toEqual([]);
  });

  test("a reference may point anywhere inside the schema, even to itself", () => {
    const list: JsonObject = {
      $ref: "#/definitions/a~1b",
      definitions: { "a/b": { properties: { next: { $ref: "#" }, n: { type: "number" } } } },
    };
    const read = readArgumentSchema(list);
    expect(read.ok && findMismatch(read.value, { n: 1, next: { n: 2, next: {} } })).toBeUndefined();
    expect(read.ok && findMismatch(read.value, { n: 1, next: { next: { n: "2" } } })).toBe(
      "/next/next/n must be of type number",
    );
    expect(fits({ $ref: "#/properties/x/$defs/y", $defs: { y: { type: "string" } } }, "a")).toBe(true);
  });

  test("names that every object inherits are ordinary members", () => {
    const schema: JsonObject = { required: ["constructor"], additionalProperties: false };
    expect(fits(schema, {})).toBe(false);
    expect(fits({ additionalProperties: false }, JSON.parse('{"__proto__":1}') as JsonValue)).toBe(false);
  });
});

describe("an invalid schema [OR-95]", () => {
  test.each<JsonObject>([
    { type: "string" },
    { type: ["string", "array"] },
    { type: "strng" },
    { type: [] },
    { type: 5 },
    { properties: [] },
    { properties: { a: "string" } },
    { properties: { a: null } },
    { required: "a" },
    { required: [1] },
    { items: 5 },
    { allOf: {} },
    { minLength: -1 },
    { minimum: "1" },
    { enum: "a" },
    { $ref: "https://example.org/schema" },
    { $ref: "#/$defs/nowhere" },
    { $ref: "#anchor" },
    { $ref: "#/%zz" },
    { $ref: "#/enum", enum: [] },
    { $ref: "#/default", default: { required: 5 } },
    { $dynamicRef: "#node" },
    { dependentRequired: { a: "b" } },
  ])("%j", (schema) => {
    expect(refusal(schema)).toMatch(/^(its schema|a part of its schema)/);
  });

  test("or has more parts than any real schema", () => {
    const of = (parts: number): JsonObject => ({ allOf: Array.from({ length: parts - 1 }, () => ({ minimum: 1 })) });
    expect(refusal(of(MAX_SUBSCHEMAS))).toBeUndefined();
    expect(refusal(of(MAX_SUBSCHEMAS + 1))).toBe("its schema has too many parts");
  });
});

describe("untrusted schemas end in bounded time", () => {
  test.each<[string, JsonObject]>([
    ["a circle", { $ref: "#" }],
    ["a circle through not", { not: { $ref: "#" } }],
    ["a tree that doubles at each level", { $defs: doubling(40), $ref: "#/$defs/d0" }],
  ])("%s", (_, schema) => {
    const read = readArgumentSchema(schema);
    expect(read.ok && findMismatch(read.value, {})).toBe("its schema takes too long to check");
  });

  // The last schema is visited 4,096 times, which alone is within the limit.
  test.each<[string, JsonObject, JsonValue]>([
    ["members of an object", {}, Object.fromEntries(many(1_000, (index) => [`member${index}`, 0]))],
    ["items of a list", {}, many(1_000, (index) => index)],
    ["names that must be there", { required: many(500, String) }, Object.fromEntries(many(500, (index) => [index, 0]))],
    ["names that others need", { dependentRequired: Object.fromEntries(many(500, (index) => [index, []])) }, {}],
    ["members of an enum", { enum: many(500, (index) => ({ index })) }, { index: 499 }],
    ["texts that must differ", { uniqueItems: true }, ["a", "b"].map((letter) => letter.repeat(1_000))],
    ["a constant", { const: many(15, () => "a".repeat(100)) }, many(15, () => "a".repeat(100))],
  ])("work is counted by its size: %s", (_, last, value) => {
    const schema = { $defs: doubling(13, last), properties: { x: { $ref: "#/$defs/d0" } } };
    const read = readArgumentSchema(schema);
    expect(read.ok && findMismatch(read.value, { x: value })).toBe("its schema takes too long to check");
    expect(fits(last, value)).toBe(true);
  });

  test("a tree of that size is accepted when its last schema checks nothing", () => {
    const read = readArgumentSchema({ $defs: doubling(13), properties: { x: { $ref: "#/$defs/d0" } } });
    expect(read.ok && findMismatch(read.value, { x: {} })).toBeUndefined();
  });

  test("a long reference", () => {
    const name = "a".repeat(10_000);
    const items = { $ref: `#/$defs/${name}` };
    const read = readArgumentSchema({ $defs: { [name]: {} }, properties: { list: { items } } });
    expect(read.ok && findMismatch(read.value, { list: many(50, () => 0) })).toBeUndefined();
    expect(read.ok && findMismatch(read.value, { list: many(500, () => 0) })).toBe(
      "its schema takes too long to check",
    );
  });

  test("a list of the maximum argument length is accepted", () => {
    expect(
      fits(
        { items: { type: "integer" } },
        many(18_000, (index) => index),
      ),
    ).toBe(true);
  });

  function many<Part>(length: number, part: (index: number) => Part): Part[] {
    return Array.from({ length }, (_, index) => part(index));
  }

  function doubling(levels: number, last: JsonObject = {}): JsonObject {
    return Object.fromEntries(
      many(levels, (level) => {
        const next = { $ref: `#/$defs/d${level + 1}` };
        return [`d${level}`, level + 1 === levels ? last : { allOf: [next, next] }];
      }),
    );
  }

  test("for any values", () => {
    const schemas = fc.dictionary(
      fc.constantFrom(
        "type",
        "$ref",
        "properties",
        "items",
        "allOf",
        "not",
        "required",
        "enum",
        "if",
        "then",
        "$defs",
        "minimum",
      ),
      fc.oneof(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom("#", "object", "string", [{ $ref: "#" }], { a: { $ref: "#/properties/a" } }),
      ),
    );
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (schema, value) => {
        const read = readArgumentSchema(schema);
        const said = read.ok ? findMismatch(read.value, value) : read.error;
        expect(["string", "undefined"]).toContain(typeof said);
      }),
      runs,
    );
  });
});

test("a schema written by zod refuses what zod refuses", () => {
  const schema = z.object({
    name: z.string().min(1).max(3),
    count: z.int().min(0).optional(),
    kind: z.enum(["a", "b"]),
    list: z.array(z.union([z.string(), z.number()])).max(2),
  });
  const read = readArgumentSchema(z.toJSONSchema(schema, { io: "input" }) as JsonObject);
  if (!read.ok) throw new Error(read.error);
  const values = fc.record(
    {
      name: fc.string({ maxLength: 5, unit: fc.constantFrom("x", "y") }),
      count: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true, min: -1, max: 1 })),
      kind: fc.constantFrom("a", "b", "c"),
      list: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }),
    },
    { requiredKeys: ["kind"] },
  );
  fc.assert(
    fc.property(values, (value) => {
      expect(findMismatch(read.value, value as JsonObject) === undefined).toBe(schema.safeParse(value).success);
    }),
    runs,
  );
});
