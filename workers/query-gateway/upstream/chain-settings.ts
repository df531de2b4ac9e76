/** The chain that every node of an upstream has to serve. */
import type { BoundMethod } from "../transcoding/http-rule.ts";

export interface ChainSettings {
  /** Empty: the deployment names no chain, and the nodes decide among themselves. */
  readonly id: string;
  /** `LATEST_BLOCK`, in some image. */
  readonly latestBlock: BoundMethod;
}
