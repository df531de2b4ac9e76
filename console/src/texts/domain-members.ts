/** What the members of a domain are called, in its form, on its page, in filters and in votes. */
export const memberNames = {
  type: "Type",
  name: "Name",
  description: "Description",
  class: "Class",
  controllers: "Controllers",
  relayerNode: "Relayer node",
  externalId: "External id",
  validFrom: "Valid from",
  validUntil: "Valid until",
  metadata: "Metadata",
  document: "Document",
  credentials: "Credentials",
  accounts: "Accounts",
};

const stateNames = {
  status: "Status",
  verificationStatus: "Verification",
  openProposalId: "Open vote",
  services: "Services",
};

/** A member without a name here is called as in its record. */
export function nameOfMember(member: string): string {
  const names: Readonly<Record<string, string>> = { ...memberNames, ...stateNames };
  return Object.hasOwn(names, member) ? (names[member] ?? member) : member;
}
