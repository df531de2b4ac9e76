/** The chain that every node of an upstream must serve. */
import type { BoundMethod } from "../transcoding/http-rule.ts";

export interface ChainSettings {
  /** Empty if the profile names no chain, and the majority of nodes decides. */
  readonly id: string;
  /** `LATEST_BLOCK`, in some descriptor set. */
  readonly latestBlock: BoundMethod;
}
