/** What the caller has done in a vote: "You voted yes, 2 min ago". */
import { Age } from "../kit/age.tsx";
import { votesTexts } from "../texts/votes.ts";
import type { Vote } from "./proposal.ts";

export function YouVoted({ vote }: { readonly vote: Vote }) {
  return (
    <span>
      {`You voted ${votesTexts.options[vote.option]},`} <Age at={vote.castAt} />
    </span>
  );
}
