/**
 * The bytes of a body, of a request as of another server's answer, counted while they come: what is claimed about its length,
 * and what a packed one grows to, buy nothing (decisions 1.10).
 */
import { failure, success, type Result } from "../result.ts";

/** `too-large`: over the limit, the rest is not read. `broken`: the connection ended in the middle. */
export async function readBytes(
  { body }: Pick<Response, "body">,
  limit: number,
): Promise<Result<Uint8Array<ArrayBuffer>, "too-large" | "broken">> {
  if (body === null) return success(new Uint8Array());
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  // One buffer that doubles, not a list of pieces: pieces of one byte would take hundreds each.
  let held = new Uint8Array();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return success(held.subarray(0, size));
      if (size + value.byteLength > limit) {
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
    return failure("broken");
  }
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
