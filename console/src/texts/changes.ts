/** What can happen to a domain, in words: in its history, on the home screen, and in what webhooks send. */
export const changeNames = {
  created: "Created",
  updated: "Changed",
  suspended: "Suspended",
  reactivated: "Reactivated",
  deactivated: "Deactivated",
  "proposal-opened": "Proposal opened",
  "proposal-withdrawn": "Proposal withdrawn",
  "proposal-superseded": "Proposal superseded by a change",
  "proposal-expired": "Proposal expired without a quorum",
  verified: "Verified",
  rejected: "Rejected",
  revoked: "Verification revoked",
  "revocation-rejected": "Revocation rejected",
  "verification-lost": "Verification lost by a change",
  "service-enabled": "Service switched on",
  "service-disabled": "Service switched off",
  "validity-ended": "Validity ended",
};

/** A change that only a newer server knows is shown by its own name. */
export function changeName(action: string): string {
  return (changeNames as Readonly<Record<string, string>>)[action] ?? action;
}

/** As it stands inside a sentence. */
export function changeInSentence(action: string): string {
  const name = changeName(action);
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
