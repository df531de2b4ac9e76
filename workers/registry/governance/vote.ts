/** A vote as it counts (contract/registry.md sections 1.3 and 6.4): one of a DID, whatever key it came by. */
import type { VoteOption } from "./tally.ts";

export interface Vote {
  readonly proposalId: string;
  /** A DID. */
  readonly voter: string;
  readonly option: VoteOption;
  readonly power: number;
  readonly rationale: string | null;
  /** Unix milliseconds. */
  readonly castAt: number;
}
