/** Words of the page of one proposal: what it asks, how it ended, and what is voted on. */

export const proposalTexts = {
  back: "All votes",
  reason: "Reason",
  differs: "Differs",
  nothing: "nothing",
  evidence: "Evidence",
  notes: "Notes",
  programme: "Programme",
  credentialsOfPackage: "Credentials of the package",
};
