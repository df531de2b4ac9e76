/** Web types that Node has under other names: the SDK's core, which `npm run chat` is built on, uses them. */
import type { webcrypto } from "node:crypto";
import type { ReadableStreamReadResult as ReadResult } from "node:stream/web";

declare global {
  type CryptoKeyPair = webcrypto.CryptoKeyPair;
  type BodyInit = NonNullable<RequestInit["body"]>;
  type ReadableStreamReadResult<T> = ReadResult<T>;
}
