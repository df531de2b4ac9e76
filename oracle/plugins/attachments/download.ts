/** Reads the bytes of a response, counted as they arrive: the declared length is not trusted. */
import { failure, success, type Result } from "../../../platform/result.ts";
import { MESSAGE_BYTES } from "./limits.ts";
import type { SizeLimit } from "./media-type.ts";

/** The combined limit for the files of a message. */
export interface MessageBudget {
  /** Takes these bytes; returns whether the budget still has room. */
  take(bytes: number): boolean;
  readonly isSpent: boolean;
}

export function createMessageBudget(bytes: number = MESSAGE_BYTES): MessageBudget {
  let left = bytes;
  return {
    take(taken) {
      left -= taken;
      return left >= 0;
    },
    get isSpent() {
      return left < 0;
    },
  };
}

const BROKEN_OFF = "its download was interrupted";

/** Reads at most `limit` bytes. The error says why, as the end of "could not be read: ...". */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  budget: MessageBudget,
  limit: SizeLimit,
): Promise<Result<Uint8Array<ArrayBuffer>, string>> {
  if (body === null) return success(new Uint8Array());
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      const fits = budget.take(value.byteLength);
      if (size > limit.bytes || !fits) return failure(limit.reason);
      parts.push(value);
    }
  } catch {
    return failure(BROKEN_OFF);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts.splice(0)) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return success(bytes);
}
