/**
 * Bodies under `/v1` (contract/registry.md section 3, R2, and section 5). The documented curl sends JSON under curl's
 * default form type, so POST and PUT read it there too; PATCH takes merge patches. What the object holds is the route's.
 */
import { readBody } from "../../platform/http/body.ts";
import { depthOf, isJsonObject, type JsonObject } from "../../platform/json.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { BODY_BYTES, BODY_DEPTH } from "../limits.ts";
import { refused, failureOfDetails } from "../failures.ts";

export interface BodyRule {
  /** Bytes. */
  readonly limit?: number;
  /** No body at all counts as `{}`. */
  readonly optional?: boolean;
}

/** The JSON object that the request carries. */
export async function jsonBody(
  c: RegistryContext,
  { limit, optional = false }: BodyRule = {},
): Promise<Result<JsonObject>> {
  const text = await bodyText(c, limit);
  if (!text.ok) return text;
  if (optional && text.value.trim() === "") return success({});
  return jsonObjectOf(text.value);
}

/** `subject` is what the text is called in a refusal. */
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

/** The text of a body whose type is acceptable; read once and kept, since several parts of a route ask for it. */
export async function bodyText(c: RegistryContext, limit = BODY_BYTES): Promise<Result<string>> {
  const known = c.get("bodyText");
  if (known !== undefined) return success(known);
  const text = await boundedText(c, limit, c.req.method === "PATCH" ? patchTypes : postTypes);
  if (text.ok) c.set("bodyText", text.value);
  return text;
}

/** Which media types a route reads. */
export interface BodyTypes {
  /** Of the answer that refuses another type: `Accept-Post` or `Accept-Patch`. */
  readonly header: string;
  readonly preferred: string;
  readonly accepts: (type: string) => boolean;
}

/** `limit` in bytes, as read and never as claimed. */
export async function boundedText(c: RegistryContext, limit: number, types: BodyTypes): Promise<Result<string>> {
  if (!types.accepts(mediaTypeOf(c.req.header("Content-Type")))) {
    c.set("refusalHeaders", { [types.header]: types.preferred });
    return refused("unsupported_media_type", `Send the body as ${types.preferred}`);
  }
  const text = await readBody(c.req.raw, limit);
  if (text.ok) return text;
  if (text.error.code !== "too_large") return refused("malformed_json", "The body is not UTF-8 text");
  return refused("body_too_large", `The body must not be larger than ${limit} bytes`);
}

const postTypes: BodyTypes = {
  header: "Accept-Post",
  preferred: "application/json",
  accepts: (type: string) =>
    ["", "application/x-www-form-urlencoded", "text/plain", "application/json"].includes(type) ||
    /^application\/[^\s/]+\+json$/.test(type),
};

const patchTypes: BodyTypes = {
  header: "Accept-Patch",
  preferred: "application/merge-patch+json",
  accepts: (type: string) => type === "application/merge-patch+json" || type === "application/json",
};

/** Without parameters, in lower case. */
function mediaTypeOf(header: string | undefined): string {
  return (header ?? "").split(";", 1).join("").trim().toLowerCase();
}
