/**
 * The irreversible effects of saving an edit: it ends an open vote to verify the domain, or its verification (RG-94, RG-96). Pure.
 */
import type { Domain } from "../domain-record.ts";
import type { Body } from "./domain-draft.ts";

export type Ended = "vote" | "verification";

/** Changing any of them ends a verification, under each name that the registry reads; a host may have configured more. */
const material = new Set(["class", "protocol", "controllers", "controller", "relayerNode"]);

/** @param patch the saved changes of content. */
export function endedBy({ verificationStatus }: Pick<Domain, "verificationStatus">, patch: Body): Ended | undefined {
  const names = Object.keys(patch);
  if (verificationStatus === "UnderVote" && names.length > 0) return "vote";
  if (verificationStatus === "Verified" && names.some((name) => material.has(name))) return "verification";
  return undefined;
}
