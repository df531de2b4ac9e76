/** Words of the caller's vote, and of the list of votes. */
import { grouped, plural } from "./number.ts";

export const ballotTexts = {
  yourVote: "Your vote",
  yourPower: (power: number, total: number) => `You have ${grouped(power)} of ${grouped(total)} power.`,
  optionMeans: {
    yes: "You agree.",
    no: "You do not agree.",
    abstain: "You count for the quorum, and neither for nor against.",
    no_with_veto: "You do not agree, and enough of these reject it whatever the others say.",
  },
  rationale: "Rationale",
  rationaleHint: "Everybody who may read the registry sees it beside your vote.",
  left: (characters: number) => `${plural(characters, "character", "characters")} left`,
  voteLoss: "Your vote is not cast yet. The rationale that you have written is lost.",
  chooseOption: "Choose one of the four options.",
  vote: "Vote",
  changeVote: "Change your vote",
  confirmVote: (option: string) => `Vote ${option}?`,
  voteEffect: (power: number, total: number, option: string) =>
    `You cast ${grouped(power)} of ${grouped(total)} power for ${option}.`,
  voteFinal: "Votes cannot be changed.",
  voteChangeable: "You may change your vote until the end; the last one counts.",
  voteDecides: {
    approved: "With it the vote passes at once.",
    vetoed: "With it the proposal is rejected at once, by veto.",
    threshold_not_met: "With it the proposal is rejected at once.",
    all_abstained: "With it the proposal is rejected at once, because everybody abstained.",
    quorum_not_met: "",
  },
  castVote: (option: string) => `Cast ${option}`,
  voteCast: (option: string) => `Your vote counts: ${option}.`,
  voteNotCounted: (reason: string) => `This vote was not counted: ${reason}`,
  notInElectorate:
    "You cannot vote on this proposal: you were not on the roll of voters when it was opened, or its rules leave you out.",
  noVoteScope: "You have a vote here, but your API key does not have the scope verification:vote.",
  isClosed: "The vote is over.",

  votesCast: "Votes",
  noVotes: "Nobody has voted yet",
  option: "Vote",
  you: "you",
  more: "Show more",
  voteCount: (shown: number, more: boolean) =>
    `${plural(shown, "vote", "votes")}${more ? " shown, there are more" : ""}`,
};
