/**
 * Checks a body against its zod schema and reports every issue with the registry's messages and codes: required, type, length,
 * format, range, order, duplicate.
 */
import * as z from "zod";
import type { FailureDetail } from "../../../platform/failure.ts";
import { failure, type Result, success } from "../../../platform/result.ts";
import { escapeToken } from "./json-values.ts";
import { type JsonObject, depthOf, isJsonObject, parseJson, repeatedMember } from "../../../platform/json.ts";
import { failureOfDetails, refused } from "../failures.ts";
import { BODY_DEPTH } from "../limits.ts";

/** The JSON object in a text; `subject` names the text in a failure. */
export function jsonObjectOf(text: string, subject = "The body"): Result<JsonObject> {
  if (text.trim() === "") return refused("malformed_json", `${subject} is empty; send a JSON object`);
  const parsed = parseJson(text);
  if (!parsed.ok) return refused("malformed_json", `${subject} is not valid JSON: ${parsed.error}`);
  const repeated = repeatedMember(text, parsed.value);
  if (repeated !== undefined) return refused("malformed_json", `${subject} names a member twice: ${repeated}`);
  if (!isJsonObject(parsed.value)) {
    return failure(failureOfDetails([{ pointer: "", reason: "type", message: `${subject} must be a JSON object` }]));
  }
  if (depthOf(parsed.value) > BODY_DEPTH) {
    const message = `${subject} must not be nested deeper than ${BODY_DEPTH} levels`;
    return failure(failureOfDetails([{ pointer: "", reason: "length", message }]));
  }
  return success(parsed.value);
}

/** `pointer` is the place of `value` in the body. */
export function readShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  pointer = "",
): Result<z.output<Schema>, readonly FailureDetail[]> {
  const checked = schema.safeParse(value, { reportInput: true, error: messageOf });
  if (checked.success) return success(checked.data);
  return failure(checked.error.issues.flatMap((issue) => detailsOf(issue, pointer)));
}

/** A rule of the registry inside a schema, with one of the codes above. */
export function rule<Value>(reason: string, message: string, holds: (value: Value) => boolean) {
  return z.refine<Value>(holds, { error: message, params: { reason } });
}

/** Whether SQLite stores and finds the text unchanged: its functions stop at U+0000. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

export const STORABLE = "must be well-formed Unicode without the character U+0000";
export const wellFormed = rule("format", STORABLE, isStorable);

/**
 * Like `rule`, for a rule that finds several faults or reports a place inside the value. The messages of its details
 * omit the subject too.
 */
export function rules<Value>(find: (value: Value) => readonly FailureDetail[]) {
  return z.superRefine<Value>((value, context) => {
    for (const { pointer = "", reason, message } of find(value)) {
      context.addIssue({ code: "custom", message, params: { reason, pointer } });
    }
  });
}

function detailsOf(issue: z.core.$ZodIssue, base: string): FailureDetail[] {
  const pointer = [base, ...issue.path.map((name) => `/${escapeToken(String(name))}`)].join("");
  const within = issue.code === "custom" ? textOf(issue.params?.["pointer"]) : "";
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => {
      const place = `${pointer}/${escapeToken(name)}`;
      return { pointer: place, reason: "unknown_field", message: `${spoken(place)} is not known here` };
    });
  }
  return [
    { pointer: pointer + within, reason: codeOf(issue), message: `${spoken(pointer + within)} ${issue.message}` },
  ];
}

/** `usual` is the reason for a rule without its own reason. */
export function issueReason(issue: z.core.$ZodIssue, usual: string): string {
  return (issue.code === "custom" ? textOf(issue.params?.["reason"]) : "") || usual;
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "custom") return issueReason(issue, "format");
  if (issue.code === "invalid_type") return issue.input === undefined ? "required" : "type";
  if (issue.code === "too_big" || issue.code === "too_small") return isNumber(issue) ? "range" : "length";
  return issue.code === "invalid_value" ? "range" : "format";
}

function isNumber({ origin }: { readonly origin?: unknown }): boolean {
  return origin === "number" || origin === "int";
}

/** A schema's own message takes precedence. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "is required" : `must be ${phrases[issue.expected] ?? issue.expected}`;
  }
  const unit = "origin" in issue && issue.origin === "string" ? "characters" : "items";
  if (issue.code === "too_big" && isNumber(issue)) return `must be at most ${issue.maximum}`;
  if (issue.code === "too_small" && isNumber(issue)) return `must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `may have at most ${issue.maximum} ${unit}`;
  if (issue.code === "too_small") return `must have at least ${issue.minimum} ${unit}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  return undefined;
}

const phrases: Readonly<Record<string, string>> = {
  string: "a text",
  object: "an object",
  record: "an object",
  array: "a list",
  boolean: "true or false",
};

/**
 * `/document/service/0/id` as part of a sentence: `document/service/0/id`. Cut, because the caller may choose the
 * names.
 */
function spoken(pointer: string): string {
  return pointer === "" ? "The body" : pointer.slice(1, 101);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
