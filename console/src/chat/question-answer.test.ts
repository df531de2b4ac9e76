import { expect, test } from "vitest";
import { chatTexts } from "../texts/chat.ts";
import { answerOf, draftOf, faultsOf, withDraft } from "./question-answer.ts";
import { fieldsOf } from "./question-fields.ts";

const words = chatTexts.question.faults;

function filled(schema: object, values: readonly (readonly [name: string, text: string])[], isRequired = true) {
  const { fields } = fieldsOf({
    args: { schema: { properties: { it: schema }, required: isRequired ? ["it"] : [] } },
  });
  const form = new FormData();
  for (const [name, text] of values) form.append(fields.find((field) => field.name === name)?.control ?? name, text);
  return { answer: answerOf(fields, form), fault: faultsOf(fields, form).get("it") };
}
const typed = (schema: object, text: string) => filled(schema, [["it", text]]);

test.each([
  [{ type: "string" }, " Ada ", "Ada"],
  [{ type: "number" }, "2,5", 2.5],
  [{ type: "integer" }, "3", 3],
  [{ type: "string", format: "date" }, "2026-12-01", "2026-12-01"],
  [{ type: "string", format: "date-time" }, "2026-12-01T10:00", new Date("2026-12-01T10:00").toISOString()],
  [{ type: "boolean" }, "on", true],
  [{ type: "array", items: { enum: ["x", "y"] } }, "y", ["y"]],
])("%j filled in with %j is %j [CN-142]", (schema, text, value) => {
  expect(typed(schema, text)).toEqual({ answer: { it: value }, fault: undefined });
});

test("a form that is shown again contains the earlier input, even if a suggestion was removed [CN-146]", () => {
  const properties = {
    name: { type: "string", default: "Ada" },
    people: { type: "number" },
    agreed: { type: "boolean", default: true },
    news: { type: "boolean" },
    days: { type: "array", items: { enum: ["x", "y", "z"] }, default: ["x"] },
  };
  const { fields } = fieldsOf({ args: { schema: { properties } } });
  const form = new FormData();
  for (const [control, text] of [
    ["answer-0", ""],
    ["answer-1", "two"],
    ["answer-3", "on"],
    ["answer-4", "y"],
    ["answer-4", "z"],
  ] as const)
    form.append(control, text);
  const shown = withDraft(fields, draftOf(form)).map(({ initial }) => initial);
  expect(shown).toEqual([[""], ["two"], ["false"], ["true"], ["y", "z"]]);
  expect(withDraft(fields, "")).toBe(fields);
});

test("empty fields are omitted, and an unticked box is a no [CN-142]", () => {
  expect(filled({ type: "string" }, [], false)).toEqual({ answer: {}, fault: undefined });
  expect(filled({ type: "array", items: { enum: ["x"] }, minItems: 1 }, [], false).fault).toBeUndefined();
  expect(filled({ type: "boolean" }, []).answer).toEqual({ it: false });
});

test.each([
  [{ type: "string" }, "  ", words.missing],
  [{ type: "number" }, "two", words.number],
  [{ type: "number" }, "1e999", words.number],
  [{ type: "integer" }, "2.5", words.integer],
  [{ type: "number", minimum: 1 }, "0", words.least(1)],
  [{ type: "number", maximum: 8 }, "9", words.largest(8)],
  [{ type: "string", minLength: 2 }, "a", words.shortest(2)],
  [{ type: "string", maxLength: 1 }, "ab", words.longest(1)],
  [{ type: "string", format: "email" }, "ada", words.email],
  [{ type: "string", format: "uri" }, "example", words.url],
  [{ type: "array", items: { enum: ["x"] }, minItems: 2 }, "x", words.fewest(2)],
])("%j filled in with %j is wrong: %s [CN-142]", (schema, text, fault) => {
  expect(typed(schema, text).fault).toBe(fault);
});
