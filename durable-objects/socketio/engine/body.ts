/**
 * The body of a polling request: its text, read no further than the largest that is taken. What is not taken is read all the
 * same before the answer goes out: workerd breaks a request whose answer overtakes its body.
 */

/** Times `maxBytes`: of a body that is not taken no more is read than this. */
const READ_FACTOR = 10;

/** @returns undefined when the body is larger than `maxBytes`. */
export async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  if (request.body === null) return "";
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return size > maxBytes ? undefined : text + decoder.decode();
    size += value.byteLength;
    if (size <= maxBytes) text += decoder.decode(value, { stream: true });
    else if (size > maxBytes * READ_FACTOR) {
      await reader.cancel();
      return undefined;
    }
  }
}

/** Reads a body that nobody wants. */
export async function discardBody(request: Request, maxBytes: number): Promise<void> {
  if (!request.bodyUsed) await readBody(request, maxBytes);
}
