/**
 * A bounded body as text and as JSON that fits a schema; body-bytes.ts counts its bytes. A body is JSON if its first
 * non-blank byte is `{` or `[`, whatever the Content-Type.
 */
import type * as z from "zod";
import { fail, newFailure } from "../failure.ts";
import { parseJson } from "../json.ts";
import { type Result, failure, success } from "../result.ts";

/**
 * The body's text, `""` if there is none; `too_large` past `limit` bytes, `invalid_request` if it is not UTF-8,
 * `request_timeout` if it takes longer than `patience` allows.
 */
export async function readBody(
  request: Pick<Request | Response, "body">,
  limit: number,
  patience: Patience = {},
): Promise<Result<string>> {
  // A client that is still sending when the response arrives may see a broken connection instead of it.
  const drainBytes = request instanceof Request ? DRAINED_BYTES : 0;
  const bytes = await readPatiently(request, limit, { drainBytes, ...patience });
  if (!bytes.ok) return bytes.error === "broken" ? unreadable : failure(refusals[bytes.error]);
  try {
    return success(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value));
  } catch {
    return unreadable;
  }
}

/** Bytes of a body over the limit that are read and discarded before it is refused. */
const DRAINED_BYTES = 32 * 1024 * 1024;

const refusals = {
  "too-large": newFailure("too_large", "Request body too large"),
  "too-slow": newFailure("request_timeout", "Request body took too long to arrive"),
};

const unreadable = fail("invalid_request", "Request body could not be read as UTF-8 text");

/** Reads, parses and validates a JSON body with the schema that documents it. */
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
/** Characters of the place of a fault, which the caller may have named. */
const PLACE_LENGTH = 100;

/** One sentence for several faults: `message must be a non-empty string; limit must be at least 1`. */
export function describeIssues({ issues }: z.core.$ZodError): string {
  const listed = issues.slice(0, LISTED_ISSUES).map((issue) => {
    const place = issue.path.map(String).join(".").slice(0, PLACE_LENGTH);
    return `${place} ${NOT_A_NUMBER.test(issue.message) ? "must be a number" : issue.message}`.trim();
  });
  const rest = issues.length - listed.length;
  return [...listed, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

/**
 * zod's message for a text that `z.coerce.number()` could not read, or for a missing one: no sender has written NaN.
 */
const NOT_A_NUMBER = /expected number, received NaN$/;

/** How long and how far a body is read; by default without a time limit, and not past the limit. */
export interface Patience {
  /** Milliseconds for the whole body. */
  readonly timeMs?: number;
  /** Bytes past the limit that are read and discarded. */
  readonly drainBytes?: number;
}

export type UnreadBody = "too-large" | "broken" | "too-slow";

/** `too-large`: over the limit, the rest is not read. `broken`: the connection ended in the middle. */
export async function readBytes(
  source: Pick<Response, "body">,
  limit: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Exclude<UnreadBody, "too-slow">>> {
  const bytes = await readPatiently(source, limit, {});
  if (bytes.ok) return bytes;
  return failure(bytes.error === "too-slow" ? "broken" : bytes.error);
}

/**
 * Like `readBytes`, for a request, whose sender may be slow, and would not see the response while it is still sending.
 */
export async function readPatiently(
  { body }: Pick<Response, "body">,
  limit: number,
  { timeMs, drainBytes = 0 }: Patience,
): Promise<Result<Uint8Array<ArrayBuffer>, UnreadBody>> {
  if (body === null) return success(new Uint8Array());
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const late = Promise.withResolvers<"late">();
  const timer = timeMs === undefined ? undefined : setTimeout(() => late.resolve("late"), timeMs);
  // One buffer that doubles instead of a list of pieces, because pieces of one byte would take hundreds each.
  let held = new Uint8Array();
  let size = 0;
  try {
    for (;;) {
      const read = await (timer === undefined ? reader.read() : Promise.race([reader.read(), late.promise]));
      if (read === "late") {
        abandon(reader);
        return failure(size > limit ? "too-large" : "too-slow");
      }
      const { done, value } = read;
      if (done) return size > limit ? failure("too-large") : success(held.subarray(0, size));
      if (size + value.byteLength > limit) {
        size += value.byteLength;
        held = new Uint8Array();
        if (size - limit <= drainBytes) continue;
        abandon(reader);
        return failure("too-large");
      }
      if (size + value.byteLength > held.byteLength) {
        const grown = new Uint8Array(Math.max(2 * held.byteLength, size + value.byteLength));
        grown.set(held.subarray(0, size));
        held = grown;
      }
      held.set(value, size);
      size += value.byteLength;
    }
  } catch {
    return failure(size > limit ? "too-large" : "broken");
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}

/** How long and how far an unused body is read: milliseconds, bytes. */
const UNWANTED = { timeMs: 5_000, drainBytes: 32 * 1024 * 1024 };

/**
 * Reads the rest of a refused request, within limits. workerd breaks a request whose response overtakes its body: the
 * client would see a lost connection, or a page of the local runtime, instead of the refusal.
 */
export async function discardBody(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed) await readPatiently(request, 0, UNWANTED);
}

/** The body as text; `broken` also means invalid UTF-8. */
export async function readText(
  response: Pick<Response, "body">,
  limit: number,
): Promise<Result<string, "too-large" | "broken">> {
  const bytes = await readBytes(response, limit);
  if (!bytes.ok) return bytes;
  try {
    return success(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value));
  } catch {
    return failure("broken");
  }
}

/** Cancels an unused response, without waiting for the result. */
export function abandon(stream: { cancel(): Promise<void> } | null): void {
  stream?.cancel().catch(() => undefined);
}
