/**
 * The text of a body, whose media type and size a route limits. The documented curl sends JSON under curl's default form type, so POST
 * and PUT read it there too; PATCH takes merge patches.
 */
import { readBody } from "../../../platform/http/body.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { BODY_BYTES } from "../limits.ts";
import { refused } from "../failures.ts";

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
