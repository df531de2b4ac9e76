/** What saving an edit ends and cannot bring back: an open vote to verify the domain, or its verification (RG-94, RG-96). Pure. */
import type { Domain } from "../domain-record.ts";
import type { Body } from "./domain-draft.ts";

export type Ended = "vote" | "verification";

/** Any of them ends a verification, under each name that the registry reads; a host may have set more. */
const material = new Set(["class", "protocol", "controllers", "controller", "relayerNode"]);

/** @param patch what is saved: content of the domain alone. */
export function endedBy({ verificationStatus }: Pick<Domain, "verificationStatus">, patch: Body): Ended | undefined {
  const names = Object.keys(patch);
  if (verificationStatus === "UnderVote" && names.length > 0) return "vote";
  if (verificationStatus === "Verified" && names.some((name) => material.has(name))) return "verification";
  return undefined;
}
