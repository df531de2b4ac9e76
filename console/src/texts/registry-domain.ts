/** Words of the page of one domain. */

export const domainTexts = {
  tabCommand: (tab: string) => `This domain: ${tab}`,
  seeProposal: "See the vote",
};
