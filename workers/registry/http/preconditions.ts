/** Conditional requests (RFC 9110, sections 13.1 and 15.4.5). Tags are strong; a weak tag never matches for a write. */
import type { RegistryContext } from "../context.ts";
import { registryFailure } from "../failures.ts";
import type { Failure } from "../../../platform/failure.ts";

/** Why the write must not happen: If-Match is missing, or none of its tags is `current`. */
export function ifMatch(c: RegistryContext, current: string): Failure | undefined {
  const header = c.req.header("If-Match");
  if (header === undefined || header.trim() === "") {
    return registryFailure(
      "precondition_required",
      "Send If-Match with the ETag that you read, so that no update is lost",
      {
        details: [{ header: "If-Match", reason: "required", message: "If-Match is required" }],
      },
    );
  }
  if (!CONDITION.test(header)) {
    const message = 'If-Match must be * or a list of entity tags, such as "v3"';
    const details = [{ header: "If-Match", reason: "format", message }];
    return registryFailure("validation_failed", message, { details });
  }
  if (header.trim() === "*" || tagsIn(header).some((tag) => tag.replace(VARIANT, '"') === current)) return undefined;
  c.set("refusalHeaders", { ETag: current });
  return registryFailure("version_mismatch", "It has changed since you read it; read it again");
}

/** The suffix that the tag of a document or a card adds to the version. A write depends only on the version. */
const VARIANT = /(?<=^"v\d+)-[0-9a-f]{8}"$/;

/** The comparison for reads is weak: `W/"x"` and `"x"` are equal. */
export function isUnchanged(c: RegistryContext, current: string): boolean {
  const header = c.req.header("If-None-Match");
  if (header === undefined) return false;
  return header.trim() === "*" || tagsIn(header).some((tag) => strong(tag) === strong(current));
}

function strong(tag: string): string {
  return tag.replace(/^W\//, "");
}

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const BLANK = String.raw`[ \t]*`;
/** `If-Match` (RFC 9110, section 13.1.1). List elements can be empty. */
const CONDITION = new RegExp(`^${BLANK}(?:\\*|(?:${TAG})?(?:${BLANK},${BLANK}(?:${TAG})?)*)${BLANK}$`);

function tagsIn(header: string): readonly string[] {
  return [...header.matchAll(new RegExp(TAG, "g"))].map(([tag]) => tag);
}
