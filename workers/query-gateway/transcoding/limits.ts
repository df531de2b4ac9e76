/** Limits on reading a request: the members of a profile's `limits` that apply to transcoding. */

export interface TranscodingLimits {
  /** Bytes of the undecoded path. */
  readonly pathBytes: number;
  /** Segments of the path. A longer one is refused before matching, so that depth costs no time. */
  readonly segments: number;
  /** Bytes of one undecoded segment. */
  readonly segmentBytes: number;
  /** Parameters of the query. */
  readonly queryParams: number;
  /** Levels of a dotted parameter's name, and of the lists and objects of a JSON body. */
  readonly nesting: number;
  /** The largest `pagination.limit` sent to a node, because nodes have no maximum. */
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

/** Characters of a caller's name that a message repeats. */
const NAME_LENGTH = 100;

/** `pagination.limit` in a message, cut to a maximum length. Messages never quote a value. */
export function quotedName(name: string): string {
  return `"${name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}...` : name}"`;
}
