/** How much of a request is read: the members of a deployment's `limits` that bound transcoding. */

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
  /** The greatest `pagination.limit` that a node is asked for: nodes have no maximum. */
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

/** Characters of a name of the caller's own that a message repeats. */
const NAME_LENGTH = 100;

/** `pagination.limit` as a message names it, whatever its length. Messages never quote a value. */
export function quotedName(name: string): string {
  return `"${name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}...` : name}"`;
}
