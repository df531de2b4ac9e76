/**
 * A tool's result as a packet can hold it. A value that JSON cannot hold, or that is too large, would close the connection or
 * arrive as something else; it becomes an error that says so.
 */

/** Bytes of a result as JSON. A packet of more than 1,000,000 bytes closes the connection; the rest is for what is around it. */
const MAX_RESULT_BYTES = 900_000;
/** Characters of an error: the model reads a sentence, not a page. */
const MAX_ERROR_CHARACTERS = 2000;

/** The result as plain JSON data: null for a function that returned nothing. Throws a sentence. */
export function sendableResult(name: string, result: unknown): unknown {
  if (result === undefined) return null;
  const json = toJson(name, result);
  if (json === undefined) throw new TypeError(`The result of ${name} cannot be sent: JSON has no ${typeof result}.`);
  const bytes = new TextEncoder().encode(json).byteLength;
  if (bytes > MAX_RESULT_BYTES)
    throw new RangeError(`The result of ${name} has ${bytes} bytes of JSON, more than ${MAX_RESULT_BYTES}.`);
  return JSON.parse(json);
}

/** What went wrong, as a sentence for the model. */
export function sendableError(name: string, thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : "";
  return text === "" ? `${name} failed.` : text.slice(0, MAX_ERROR_CHARACTERS);
}

function toJson(name: string, result: unknown): string | undefined {
  try {
    return JSON.stringify(result, refuseBinary);
  } catch (error) {
    throw new TypeError(`The result of ${name} cannot be sent as JSON: ${sendableError(name, error)}`, {
      cause: error,
    });
  }
}

/** JSON would make an object without members of it, and Socket.IO a packet that the oracle refuses. */
function refuseBinary(_key: string, value: unknown): unknown {
  const isBlob = typeof Blob !== "undefined" && value instanceof Blob;
  if (isBlob || value instanceof ArrayBuffer || ArrayBuffer.isView(value)) throw new TypeError("it holds binary data");
  return value;
}
