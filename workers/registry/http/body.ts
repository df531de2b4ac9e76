/**
 * Bodies of the registry, as text and as JSON objects. The documented curl sends JSON under curl's default form type, so POST
 * and PUT read it there too; PATCH takes merge patches.
 */
import { readBody } from "../../platform/http/body.ts";
import { depthOf, isJsonObject, type JsonObject } from "../../platform/json.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { BODY_BYTES, BODY_DEPTH } from "../limits.ts";
import { failureOfDetails, refused } from "../failures.ts";

/** `subject` is what the text is called in a failure. */
export function jsonObjectOf(text: string, subject = "The body"): Result<JsonObject> {
  if (text.trim() === "") return refused("malformed_json", `${subject} is empty; send a JSON object`);
  const parsed = parseJson(text);
  if (!parsed.ok) return refused("malformed_json", `${subject} is not valid JSON: ${parsed.error}`);
  if (!isJsonObject(parsed.value)) {
    return failure(failureOfDetails([{ pointer: "", reason: "type", message: `${subject} must be a JSON object` }]));
  }
  if (depthOf(parsed.value) > BODY_DEPTH) {
    const message = `${subject} must not be nested deeper than ${BODY_DEPTH} levels`;
    return failure(failureOfDetails([{ pointer: "", reason: "length", message }]));
  }
  return success(parsed.value);
}

export interface TextRule {
  /** Bytes, as read and never as claimed. */
  readonly limit?: number;
  /** What to send instead of a type that the route does not read. */
  readonly type?: string;
  /** Media types that the route reads; those of JSON when left out. */
  readonly accepts?: readonly string[];
}

/** The text of the body; read once and stored, since the handler and its Idempotency-Key both ask for it. */
export async function boundedText(c: RegistryContext, rule: TextRule): Promise<Result<string>> {
  const known = c.get("bodyText");
  if (known !== undefined) return success(known);
  const { limit = BODY_BYTES } = rule;
  const type = mediaTypeOf(c.req.header("Content-Type"));
  const isPatch = c.req.method === "PATCH";
  if (!(rule.accepts?.includes(type) ?? (isPatch ? isMergePatch(type) : isJson(type)))) {
    const { type: preferred = "application/json" } = rule;
    c.set("refusalHeaders", { [isPatch ? "Accept-Patch" : "Accept-Post"]: preferred });
    return refused("unsupported_media_type", `Send the body as ${preferred}`);
  }
  const text = await readBody(c.req.raw, limit);
  if (text.ok) {
    c.set("bodyText", text.value);
    return text;
  }
  if (text.error.code !== "too_large") return refused("malformed_json", "The body is not UTF-8 text");
  return refused("body_too_large", `The body must not be larger than ${limit} bytes`);
}

function isJson(type: string): boolean {
  const usual = ["", "application/x-www-form-urlencoded", "text/plain", "application/json"];
  return usual.includes(type) || /^application\/[^\s/]+\+json$/.test(type);
}

function isMergePatch(type: string): boolean {
  return type === "application/merge-patch+json" || type === "application/json";
}

/** Without parameters, in lower case. */
function mediaTypeOf(header: string | undefined): string {
  return (header ?? "").split(";", 1).join("").trim().toLowerCase();
}
