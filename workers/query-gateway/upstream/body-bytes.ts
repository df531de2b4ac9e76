/**
 * A node's answer as bytes, counted while they come: what a node claims about its length, and what a packed answer grows
 * to, buy nothing (contract D, section 7.1).
 */
import { failure, success, type Result } from "../../platform/result.ts";

/** `too-large`: over the limit, the rest is not read. `broken`: the connection ended in the middle. */
export async function readBytes(
  { body }: Pick<Response, "body">,
  limit: number,
): Promise<Result<Uint8Array<ArrayBuffer>, "too-large" | "broken">> {
  if (body === null) return success(new Uint8Array());
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return success(joined(chunks, size));
      size += value.byteLength;
      if (size > limit) {
        abandon(reader);
        return failure("too-large");
      }
      chunks.push(value);
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

export function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** Ends an answer that nobody wants; whether that goes well is of no interest, nor worth waiting for. */
export function abandon(stream: { cancel(): Promise<void> } | null): void {
  stream?.cancel().catch(() => undefined);
}
