/** What the sample data of a development system is called. */
export const sampleDataTexts = {
  organisation: { name: "Sample Stove Cooperative", description: "Runs the sample programme." },
  protocol: {
    name: "Clean Cooking Protocol (sample)",
    description: "What a clean-cooking project reports, and how often.",
  },
  verified: { name: "Lusaka Pellet Stoves (sample)", description: "1,200 pellet stoves in Lusaka." },
  underVote: { name: "Ndola Ethanol Stoves (sample)", description: "400 ethanol stoves in Ndola." },
  awaiting: { name: "Kitwe Biogas (sample)", description: "Biogas for 60 households in Kitwe." },
  stove: (number: number) => ({
    name: `Stove ${number} (sample)`,
    description: "Reports its burning hours every day.",
  }),
  proposalTitle: (name: string) => `Verify ${name}`,
  proposalSummary: "Documents are complete; a visit has taken place.",
  rationale: "I have seen the site.",
  voter: "Programme staff (sample)",
  otherVoters: ["Amina (sample)", "Brian (sample)"],
};
