/** Words of the roll of voters. */
import { grouped, plural } from "./number.ts";

export const rollTexts = {
  rollLead:
    "Who may vote on proposals that are opened from now on, and how much each vote counts. Votes that are open keep their voters.",
  rollAdmin: "Only admins of the registry may see and change the roll. You see its size and the rules.",
  voters: (voters: number) => plural(voters, "voter", "voters"),
  totalPower: (power: number) => `${grouped(power)} power in all`,
  emptyRoll: "Nobody is on the roll of voters",
  emptyRollHint: "Without voters no proposal can be opened.",
  label: "Name",
  labelHint: "Who it is, as everybody sees it in votes and in the audit trail.",
  weight: "Power",
  added: "Added",
  cannotVote: "No key",
  cannotVoteMore: "No API key with verification:vote speaks for this voter, so its power cannot be cast.",
  invite: "Invite a voter",
  addVoter: "Add a voter",
  editVoter: "Change the voter",
  did: "DID",
  noDid: "This is not a DID, such as did:web:example.org.",
  didHint:
    "The holder of an API key of this DID with the scope verification:vote may vote. To change a DID that is on the roll, use Change in its row.",
  saveVoter: "Save",
  savingVoter: "Looking at the roll…",
  addTitle: (who: string) => `Add ${who} to the roll?`,
  changeTitle: (who: string) => `Change ${who}?`,
  isListed: (who: string, power: number) => `This DID is on the roll already, as ${who} with power ${grouped(power)}.`,
  wasChanged: (power: number) => `Somebody has changed this voter meanwhile: the power is ${grouped(power)} now.`,
  effect: (who: string, before: number | undefined, after: number) => {
    if (before === undefined) return `${who} gets power ${grouped(after)}.`;
    if (before === after) return `${who} keeps power ${grouped(after)}.`;
    return `The power of ${who} goes from ${grouped(before)} to ${grouped(after)}.`;
  },
  totalEffect: (before: number, after: number) =>
    before === after
      ? `The power of the roll stays ${grouped(after)}.`
      : `The power of the roll goes from ${grouped(before)} to ${grouped(after)}. Votes that are open keep their voters and their power.`,
  voterLoss: "The roll is not changed yet. What you have entered is lost.",
  voterSaved: "The roll of voters is changed.",
  edit: "Change",
  remove: "Remove",
  named: (verb: string, who: string) => `${verb} ${who}`,
  removeTitle: "Remove this voter?",
  removeEffect: (who: string, weight: number, total: number) =>
    `${who} has no vote in proposals that are opened from now on. The power of the roll goes from ${grouped(total)} to ${grouped(total - weight)}. Votes that are open keep their voters and their power.`,
  removeLast: "Nobody is left then, and no proposal can be opened until a voter is added.",
  removeVoter: "Remove the voter",
  voterRemoved: "The voter is removed.",
};
