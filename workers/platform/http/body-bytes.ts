/**
 * The bytes of a body, of a request as of another server's answer, counted while they come: what is claimed about its length,
 * and what a packed one grows to, buy nothing.
 */
import { failure, success, type Result } from "../result.ts";

/** How long and how far a body is read; nothing means as it comes, and not past the limit. */
export interface Patience {
  /** Milliseconds for the whole body. */
  readonly timeMs?: number;
  /** Bytes past the limit that are read and thrown away. */
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

/** The same of a request, whose sender may be slow, and would not see the answer while it is still sending. */
export async function readPatiently(
  { body }: Pick<Response, "body">,
  limit: number,
  { timeMs, drainBytes = 0 }: Patience,
): Promise<Result<Uint8Array<ArrayBuffer>, UnreadBody>> {
  if (body === null) return success(new Uint8Array());
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const late = Promise.withResolvers<"late">();
  const timer = timeMs === undefined ? undefined : setTimeout(() => late.resolve("late"), timeMs);
  // One buffer that doubles, not a list of pieces: pieces of one byte would take hundreds each.
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

/** How long and how far a body is read that nobody asked for: milliseconds, bytes. */
const UNWANTED = { timeMs: 5_000, drainBytes: 32 * 1024 * 1024 };

/**
 * Reads what a refused request is still sending, bounded. workerd breaks a request whose answer overtakes its body: the
 * client would see a lost connection, or a page of the local runtime, in place of the refusal.
 */
export async function discardBody(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed) await readPatiently(request, 0, UNWANTED);
}

/** As text. Nodes write UTF-8; what is none becomes U+FFFD. */
export async function readText(
  response: Pick<Response, "body">,
  limit: number,
): Promise<Result<string, "too-large" | "broken">> {
  const bytes = await readBytes(response, limit);
  return bytes.ok ? success(new TextDecoder().decode(bytes.value)) : bytes;
}

/** Ends an answer that nobody wants; whether that goes well is of no interest, nor worth waiting for. */
export function abandon(stream: { cancel(): Promise<void> } | null): void {
  stream?.cancel().catch(() => undefined);
}
