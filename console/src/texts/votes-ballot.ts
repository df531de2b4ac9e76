/** Words of the caller's vote, and of the list of votes. */

export const ballotTexts = {
  yourVote: "Your vote",
  voteFinal: "Votes cannot be changed.",
  you: "you",
};
