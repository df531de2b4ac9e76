/** Words of the form of a new proposal, and of what can stand in its way. */
export const newProposalTexts = {
  proposalLoss: "The vote is not open yet. What you have written for it is lost.",
  addMyself: "Add yourself to the roll of voters",
};
