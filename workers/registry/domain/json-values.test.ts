/** Merge patches compared with RFC 7396: its examples, and a literal implementation of its pseudo-code. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../platform/json.ts";
import { mergePatch } from "./json-values.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

/** RFC 7396 section 2, literally: slow, and it modifies its argument. */
function reference(target: unknown, patch: unknown): unknown {
  if (typeof patch === "object" && patch !== null && !Array.isArray(patch)) {
    const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
    const result = (isObject ? target : {}) as Record<string, unknown>;
    for (const [name, value] of Object.entries(patch)) {
      if (value === null) {
        if (Object.hasOwn(result, name)) delete result[name];
      } else {
        const merged = reference(Object.hasOwn(result, name) ? result[name] : undefined, value);
        Object.defineProperty(result, name, { value: merged, enumerable: true, configurable: true, writable: true });
      }
    }
    return result;
  }
  return patch;
}

const member = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "toString", "");
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.constant(null), fc.integer(), fc.string(), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.array(fc.tuple(member, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
}));
const object = fc
  .array(fc.tuple(member, value), { maxLength: 4 })
  .map((members) => Object.fromEntries(members) as JsonObject);

test("equals the RFC's pseudo-code, and changes neither argument [RG-62]", () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const merged = mergePatch(target, patch);
      expect(JSON.stringify([target, patch])).toBe(before);
      expect(JSON.stringify(merged)).toBe(JSON.stringify(reference(structuredClone(target), patch)));
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    }),
    { numRuns },
  );
});

test("applying a patch twice changes nothing more", () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const once = mergePatch(target, patch);
      expect(JSON.stringify(mergePatch(once, patch))).toBe(JSON.stringify(once));
    }),
    { numRuns },
  );
});

test.each([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
])("RFC 7396 appendix A: %s with %s is %s", (target, patch, result) => {
  expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
});

test("a member named __proto__ is data", () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"admin":true}}'));
  expect(Object.keys(merged)).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
});
