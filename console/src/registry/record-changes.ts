/** What differs between two records of one domain, without the members that change with every version. */
import type { Domain } from "./domain-record.ts";
import { leafChanges, type Change } from "./leaf-changes.ts";

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
  return leafChanges(compared.map((name) => ({ path: `/${name}`, from: before[name], to: after[name] })));
}
