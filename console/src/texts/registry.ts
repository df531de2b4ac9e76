/** States of a domain, and what the parts of the registry share. */
export const statusNames = { active: "Active", suspended: "Suspended", deactivated: "Deactivated" };

export const verificationNames = {
  AwaitingVerification: "Awaiting verification",
  UnderVote: "Under vote",
  Verified: "Verified",
  Rejected: "Rejected",
  Revoked: "Revoked",
};

export const registryTexts = {
  backToList: "All domains",
  unnamed: "Without a name",
  verifiedChanged: "Verified, changed since",
};
