/**
 * Reads the text of a body within a route's media types and size. The documented curl command sends JSON with curl's
 * default form type, so POST and PUT accept it there too; PATCH takes merge patches.
 */
import { readBody } from "../../../platform/http/body.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { BODY_BYTES } from "../limits.ts";
import { refused } from "../failures.ts";

export interface TextRule {
  /** Bytes, counted while reading; Content-Length is not trusted. */
  readonly limit?: number;
  /** The type to suggest when the route does not accept the sent one. */
  readonly type?: string;
  /** Media types that the route accepts; JSON types by default. */
  readonly accepts?: readonly string[];
}

/** The text of the body. Read once and stored, because the handler and Idempotency-Key both need it. */
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

/** The media type in lower case, without parameters. */
function mediaTypeOf(header: string | undefined): string {
  return (header ?? "").split(";", 1).join("").trim().toLowerCase();
}
