/** The names of a domain's members, in its form, on its page, in filters and in votes. */
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

/** A member that is not listed here is shown by its own name. */
export function nameOfMember(member: string): string {
  const names: Readonly<Record<string, string>> = { ...memberNames, ...stateNames };
  return Object.hasOwn(names, member) ? (names[member] ?? member) : member;
}
