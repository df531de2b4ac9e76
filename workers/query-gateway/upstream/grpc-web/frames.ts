/**
 * The frames of a gRPC-web body (the gRPC-web specification, PROTOCOL-WEB.md): one byte of flags, four of length, data;
 * the last frame contains the trailers. Lengths are not trusted until the bytes have arrived, so no memory is reserved
 * before.
 */

const FRAME_HEAD = 5;
const MESSAGE = 0x00;
const TRAILERS = 0x80;

export type Frame =
  | { readonly kind: "message"; readonly data: Uint8Array }
  | { readonly kind: "trailers"; readonly trailers: ReadonlyMap<string, string> };

export type FrameFault = "broken" | "too-large";

/** Bytes. Servers limit their headers to a few KiB; trailers are no longer. */
export const TRAILER_BYTES = 64 * 1024;
/** A unary response has two frames, or three if it has one too many; more are not read. */
const UNARY_FRAMES = 8;

/** The trailers of a status 0, alone in their frame. */
const OK_TRAILERS = encodeFrame(TRAILERS, new TextEncoder().encode("grpc-status: 0\r\n"));

/** A body that Connect can read: the messages, then a status 0. */
export function writeBody(messages: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts = [...messages.map(writeMessage), OK_TRAILERS];
  return joined(
    parts,
    parts.reduce((size, { byteLength }) => size + byteLength, 0),
  );
}

export function writeMessage(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return encodeFrame(MESSAGE, data);
}

function encodeFrame(flags: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(FRAME_HEAD + data.byteLength);
  frame[0] = flags;
  new DataView(frame.buffer).setUint32(1, data.byteLength);
  frame.set(data, FRAME_HEAD);
  return frame;
}

/**
 * The frames of a unary response; `undefined` if it is truncated, compressed, has unknown flags, or continues after its
 * trailers.
 */
export function readFrames(body: Uint8Array): readonly Frame[] | undefined {
  const frames: Frame[] = [];
  for (let at = 0; at < body.byteLength;) {
    const length = lengthAt(body, at);
    if (length === undefined || at + FRAME_HEAD + length > body.byteLength) return undefined;
    if (frames.at(-1)?.kind === "trailers" || frames.length === UNARY_FRAMES) return undefined;
    const frame = readFrame(body.subarray(at, at + FRAME_HEAD + length));
    if (frame === undefined) return undefined;
    frames.push(frame);
    at += FRAME_HEAD + length;
  }
  return frames;
}

function lengthAt(bytes: Uint8Array, at: number): number | undefined {
  if (at + FRAME_HEAD > bytes.byteLength) return undefined;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at + 1);
}

function readFrame(frame: Uint8Array): Frame | undefined {
  const data = frame.subarray(FRAME_HEAD);
  if (frame[0] === MESSAGE) return { kind: "message", data };
  return frame[0] === TRAILERS && data.byteLength <= TRAILER_BYTES
    ? { kind: "trailers", trailers: readTrailers(data) }
    : undefined;
}

/**
 * Byte by byte, as headers are read; an invalid header line is skipped. The first value of a name wins, but two
 * statuses are both read.
 */
function readTrailers(data: Uint8Array): ReadonlyMap<string, string> {
  const text = Array.from(data, (byte) => String.fromCharCode(byte)).join("");
  const trailers = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const [value, earlier] = [line.slice(colon + 1).trim(), trailers.get(name)];
    if (name === "grpc-status" && earlier !== undefined) trailers.set(name, `${earlier}, ${value}`);
    else if (name !== "" && earlier === undefined) trailers.set(name, value);
  }
  return trailers;
}

/** The frames of a body as it arrives. A frame over `limit` bytes is refused by its head. */
export async function* streamFrames(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): AsyncGenerator<Frame | FrameFault, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const holds = async (needed: number): Promise<boolean> => {
    while (size < needed) {
      const { done, value } = await reader.read();
      if (done) return false;
      chunks.push(value);
      size += value.byteLength;
    }
    return true;
  };
  const held = (): Uint8Array => {
    if (chunks.length > 1) chunks.splice(0, chunks.length, joined(chunks, size));
    return chunks[0] ?? new Uint8Array();
  };
  try {
    while (await holds(FRAME_HEAD)) {
      const end = FRAME_HEAD + (lengthAt(held(), 0) ?? 0);
      if (end > limit + FRAME_HEAD) return yield "too-large";
      const frame = (await holds(end)) ? readFrame(held().subarray(0, end)) : undefined;
      if (frame === undefined) return yield "broken";
      chunks.splice(0, chunks.length, held().subarray(end));
      size -= end;
      yield frame;
    }
    if (size > 0) yield "broken";
  } catch {
    yield "broken";
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
