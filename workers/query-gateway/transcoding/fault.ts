/**
 * Why a request could not be turned into a call. Plain data: the edge gives each kind its status and code
 * (contract D, sections 2.5 and 6) and may log the message, which names parameters but never quotes their values.
 */
import { failure } from "../../platform/result.ts";

/** In HTTP and gRPC: 404 and 5, 405 and 12, 400 and 3, 414 and 3. */
export type TranscodingFaultKind = "not-found" | "method-not-allowed" | "invalid-argument" | "too-long";

export interface TranscodingFault {
  readonly kind: TranscodingFaultKind;
  /** A sentence for the client. */
  readonly message: string;
  /** The methods that the path does have, as `Allow` lists them; with `method-not-allowed` only. */
  readonly allow?: readonly string[];
}

/** Characters of a name of the caller's own that a message repeats. */
const NAME_LENGTH = 100;

export function invalidArgument(message: string): { readonly ok: false; readonly error: TranscodingFault } {
  return failure({ kind: "invalid-argument", message });
}

export function tooLong(message: string): { readonly ok: false; readonly error: TranscodingFault } {
  return failure({ kind: "too-long", message });
}

/** `pagination.limit` as a message names it, whatever length the caller gave it. */
export function quoted(name: string): string {
  return `"${name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}...` : name}"`;
}
