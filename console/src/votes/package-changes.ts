/**
 * Compares a proposal's subject with the current domain. The values and digests of the package show which members differ; the
 * record of that version shows where exactly. Status and services are not part of the content.
 */
import { innermostChanges, type JsonChange } from "../kit/json-changes.ts";
import { digestOf } from "./canonical-digest.ts";
import type { Domain, Proposal } from "./proposal.ts";

export type PackageFacts = NonNullable<NonNullable<Proposal["package"]>["domain"]>;

/** Members that the package contains as values, and those that it contains as digests. */
export const statedMembers = [
  "type",
  "class",
  "controllers",
  "relayerNode",
  "externalId",
  "validFrom",
  "validUntil",
] as const;
export const digestedMembers = ["metadata", "document", "credentials", "accounts"] as const;
type ContentMember = (typeof statedMembers)[number] | (typeof digestedMembers)[number];

/** Members of the content that differ from the package; undefined if digests cannot be computed. */
export async function changedMembers(
  facts: PackageFacts,
  today: Domain,
): Promise<readonly ContentMember[] | undefined> {
  const digests = await Promise.all(digestedMembers.map((member) => digestOf(today[member])));
  if (digests.includes(undefined)) return undefined;
  return [
    ...statedMembers.filter((member) => !isSame(facts[member], today[member])),
    ...digestedMembers.filter((member, at) => facts[`${member}Hash`] !== digests[at]),
  ];
}

/** The order of controllers is irrelevant. */
function isSame(said: string | null | readonly string[], now: string | null | readonly string[]): boolean {
  if (typeof said === "string" || said === null) return said === now;
  return (
    typeof now === "object" && now !== null && now.length === said.length && said.every((one) => now.includes(one))
  );
}

/** The differences of two records' content. */
export function contentDifferences(then: Domain, today: Domain): readonly JsonChange[] {
  const stated = statedMembers.filter((member) => !isSame(then[member], today[member]));
  return innermostChanges(
    [...stated, ...digestedMembers].map((member) => ({ path: `/${member}`, from: then[member], to: today[member] })),
  );
}
