/** How much of a request is looked at: the members of a deployment's `limits` that bound transcoding (contract D, section 1). */

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
