/** The differences between two records of one domain, without members that change with every version. */
import { namesIn } from "../api/json-pointer.ts";
import { innermostChanges, type JsonChange } from "../kit/json-changes.ts";
import type { Domain } from "./domain-record.ts";

const content = [
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
] as const satisfies readonly (keyof Domain)[];
const states = [
  "status",
  "verificationStatus",
  "openProposalId",
  "services",
] as const satisfies readonly (keyof Domain)[];

/** Whether a JSON pointer leads to user content instead of a state that the registry maintains. */
export function isContent(path: string): boolean {
  const [name] = namesIn(path);
  return content.some((member) => member === name);
}

export function recordChanges(before: Domain, after: Domain): readonly JsonChange[] {
  return innermostChanges(
    [...content, ...states].map((name) => ({ path: `/${name}`, from: before[name], to: after[name] })),
  );
}
