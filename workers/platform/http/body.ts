/**
 * A bounded body as text and as JSON that fits a schema (decisions 1.10); body-bytes.ts counts its bytes. A body is JSON when its
 * first non-blank byte is `{` or `[`, whatever the Content-Type says.
 */
import type * as z from "zod";
import { fault } from "../errors.ts";
import { parseJson } from "../parse-json.ts";
import { failure, success, type Result } from "../result.ts";
import { readBytes } from "./body-bytes.ts";

/** The body's text, `""` when there is none; `too_large` past `limit` bytes, `invalid_request` when it is not UTF-8. */
export async function readBody(request: Pick<Request | Response, "body">, limit: number): Promise<Result<string>> {
  const bytes = await readBytes(request, limit);
  if (!bytes.ok)
    return bytes.error === "too-large" ? failure(fault("too_large", "Request body too large")) : unreadable;
  try {
    return success(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value));
  } catch {
    return unreadable;
  }
}

const unreadable = failure(fault("invalid_request", "Request body could not be read as UTF-8 text"));

/** Reads, parses and checks a JSON body by the same schema that documents it. */
export async function readJsonBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limit: number,
): Promise<Result<z.output<Schema>>> {
  const text = await readBody(request, limit);
  if (!text.ok) return text;
  const first = text.value.trimStart().charAt(0);
  const parsed = first === "{" || first === "[" ? parseJson(text.value) : failure("not an object or a list");
  if (!parsed.ok) return failure(fault("invalid_request", "Request body is not valid JSON"));
  const checked = schema.safeParse(parsed.value);
  return checked.success ? success(checked.data) : failure(fault("invalid_request", describeIssues(checked.error)));
}

/** Faults told of in one answer: a body may hold tens of thousands, and its author mends them a few at a time. */
const TOLD_ISSUES = 10;
/** Characters of the place of a fault, which may be a name of the caller's own. */
const PLACE_LENGTH = 100;

/** One sentence for several faults: `message must be a non-empty string; limit must be at least 1`. */
export function describeIssues({ issues }: z.core.$ZodError): string {
  const told = issues.slice(0, TOLD_ISSUES).map(({ path, message }) => {
    const place = path.map(String).join(".").slice(0, PLACE_LENGTH);
    return `${place} ${message}`.trim();
  });
  const rest = issues.length - told.length;
  return [...told, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}
