/**
 * What a proposal is about against the domain as it is today: members that differ, by the values and digests of the package, and where
 * exactly, by the record of that version. Status and services are no content.
 */
import { digestOf } from "./canonical-digest.ts";
import { differencesOf, type Difference } from "./json-difference.ts";
import type { Domain, Proposal } from "./proposal.ts";

export type PackageFacts = NonNullable<NonNullable<Proposal["package"]>["domain"]>;

/** Said in the package by their values, and by their digests. */
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

/** Members of the content that are not what the package says; undefined where digests cannot be computed. */
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

/** The order of controllers carries no meaning. */
function isSame(said: string | null | readonly string[], now: string | null | readonly string[]): boolean {
  if (typeof said === "string" || said === null) return said === now;
  return (
    typeof now === "object" && now !== null && now.length === said.length && said.every((one) => now.includes(one))
  );
}

/** Between two records, in their content alone. */
export function contentDifferences(then: Domain, today: Domain): readonly Difference[] {
  return [...statedMembers, ...digestedMembers].flatMap((member) =>
    differencesOf(then[member], today[member], `/${member}`),
  );
}
