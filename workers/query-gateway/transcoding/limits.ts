/**
 * How much of a request is read: the members of a deployment's `limits` that bound transcoding, and how a request beyond
 * them fails. Messages name parameters and never quote their values.
 */
import { failure } from "../../platform/result.ts";

export interface TranscodingLimits {
  /** Bytes of the undecoded path. */
  readonly pathBytes: number;
  /** Segments of the path. A longer one is refused before matching, so that depth buys no time. */
  readonly segments: number;
  /** Bytes of one undecoded segment. */
  readonly segmentBytes: number;
  /** Parameters of the query. */
  readonly queryParams: number;
  /** Levels of a dotted parameter's name, and of the lists and objects of a JSON body. */
  readonly nesting: number;
  /** The greatest `pagination.limit` that a node is asked for: nodes have no maximum of their own. */
  readonly pageLimit: number;
}

export const defaultLimits: TranscodingLimits = {
  pathBytes: 8192,
  segments: 64,
  segmentBytes: 2048,
  queryParams: 100,
  nesting: 32,
  pageLimit: 1000,
};

/** In HTTP and gRPC: 404 and 5, 405 and 12, 400 and 3, 414 and 3. */
type TranscodingFaultKind = "not-found" | "method-not-allowed" | "invalid-argument" | "too-long";

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
