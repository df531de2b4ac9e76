/** Words of the roll of voters. */
import { grouped } from "./number.ts";

export const rollTexts = {
  labelHint: "Who it is, as everybody sees it in votes and in the audit trail.",
  addVoter: "Add a voter",
  did: "DID",
  noDid: "This is not a DID, such as did:web:example.org.",
  isListed: (who: string, power: number) => `This DID is on the roll already, as ${who} with power ${grouped(power)}.`,
  totalEffect: (before: number, after: number) =>
    before === after
      ? `The power of the roll stays ${grouped(after)}.`
      : `The power of the roll goes from ${grouped(before)} to ${grouped(after)}. Votes that are open keep their voters and their power.`,
};
