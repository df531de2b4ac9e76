/**
 * A bounded body as text and as JSON that fits a schema; body-bytes.ts counts its bytes. A body is JSON when its
 * first non-blank byte is `{` or `[`, whatever the Content-Type says.
 */
import type * as z from "zod";
import { fail, newFailure } from "../failure.ts";
import { parseJson } from "../parse-json.ts";
import { failure, success, type Result } from "../result.ts";
import { readPatiently, type Patience } from "./body-bytes.ts";

/**
 * The body's text, `""` when there is none; `too_large` past `limit` bytes, `invalid_request` when it is not UTF-8,
 * `request_timeout` when it takes longer than `patience` allows.
 */
export async function readBody(
  request: Pick<Request | Response, "body">,
  limit: number,
  patience: Patience = {},
): Promise<Result<string>> {
  // A client that is still sending when the answer comes may see a broken connection instead of it.
  const drainBytes = request instanceof Request ? DRAINED_BYTES : 0;
  const bytes = await readPatiently(request, limit, { drainBytes, ...patience });
  if (!bytes.ok) return bytes.error === "broken" ? unreadable : failure(refusals[bytes.error]);
  try {
    return success(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value));
  } catch {
    return unreadable;
  }
}

/** How much of a body that is too large is read and thrown away before it is refused. */
const DRAINED_BYTES = 32 * 1024 * 1024;

const refusals = {
  "too-large": newFailure("too_large", "Request body too large"),
  "too-slow": newFailure("request_timeout", "Request body took too long to arrive"),
};

const unreadable = fail("invalid_request", "Request body could not be read as UTF-8 text");

/** Reads, parses and checks a JSON body by the same schema that documents it. */
export async function readJsonBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limit: number,
  patience: Patience = {},
): Promise<Result<z.output<Schema>>> {
  const text = await readBody(request, limit, patience);
  if (!text.ok) return text;
  const first = text.value.trimStart().charAt(0);
  if (first === "") return fail("invalid_request", "Request body is empty; send JSON");
  const parsed = first === "{" || first === "[" ? parseJson(text.value) : failure("expected an object or a list");
  if (!parsed.ok) return fail("invalid_request", `Request body is not valid JSON: ${parsed.error}`);
  const checked = schema.safeParse(parsed.value);
  if (checked.success) return success(checked.data);
  const isOtherKind = checked.error.issues.some(({ path, code }) => path.length === 0 && code === "invalid_type");
  const message = isOtherKind && first === "[" ? "Request body must be a JSON object" : describeIssues(checked.error);
  return fail("invalid_request", message);
}

/** Issues listed in one response: a body may have tens of thousands, and its author fixes them a few at a time. */
const LISTED_ISSUES = 10;
/** Characters of the place of a fault, which may be a name of the caller's own. */
const PLACE_LENGTH = 100;

/** One sentence for several faults: `message must be a non-empty string; limit must be at least 1`. */
export function describeIssues({ issues }: z.core.$ZodError): string {
  const listed = issues.slice(0, LISTED_ISSUES).map(({ path, message }) => {
    const place = path.map(String).join(".").slice(0, PLACE_LENGTH);
    return `${place} ${message}`.trim();
  });
  const rest = issues.length - listed.length;
  return [...listed, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}
