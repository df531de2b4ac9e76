/** What differs between two records of one domain, without the members that change with every version. */
import { innermostChanges, type Change } from "../kit/json-changes.ts";
import type { Domain } from "./domain-record.ts";

const compared = [
  "class",
  "controllers",
  "metadata",
  "validFrom",
  "validUntil",
  "relayerNode",
  "externalId",
  "credentials",
  "accounts",
  "document",
  "status",
  "verificationStatus",
  "openProposalId",
  "services",
] as const satisfies readonly (keyof Domain)[];

export function recordChanges(before: Domain, after: Domain): readonly Change[] {
  return innermostChanges(compared.map((name) => ({ path: `/${name}`, from: before[name], to: after[name] })));
}
