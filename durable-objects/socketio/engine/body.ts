/**
 * The body of a polling request: its text, read no further than the largest that is taken. What is not taken is read all the
 * same before the answer goes out: workerd breaks a request whose answer overtakes its body. Neither is waited for without
 * end: a request under way keeps the object in memory, and anybody can send one.
 */

/** Times `maxBytes`: of a body that is not taken no more is read than this. */
const READ_FACTOR = 10;
/** How long a body may take to arrive, milliseconds. */
const BODY_TIME_MS = 60_000;
/** The same of a body that nobody wants. */
const UNWANTED_TIME_MS = 5_000;

export type Body = { readonly text: string } | "too large" | "too slow";

export async function readBody(request: Request, maxBytes: number, timeMs = BODY_TIME_MS): Promise<Body> {
  if (request.body === null) return { text: "" };
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), timeMs);
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late.promise]);
      if (read === undefined) {
        reader.cancel().catch(() => undefined);
        return "too slow";
      }
      const { done, value } = read;
      if (done) return size > maxBytes ? "too large" : { text: text + decoder.decode() };
      size += value.byteLength;
      if (size <= maxBytes) text += decoder.decode(value, { stream: true });
      else if (size > maxBytes * READ_FACTOR) {
        await reader.cancel();
        return "too large";
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a body that nobody wants. */
export async function discardBody(request: Request, maxBytes: number): Promise<void> {
  if (!request.bodyUsed) await readBody(request, maxBytes, UNWANTED_TIME_MS);
}
