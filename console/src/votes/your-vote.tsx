/** What the caller can do in this vote: cast or change their vote, read the one they cast, or why there is none. */
import { Loaded } from "../kit/loaded.tsx";
import { useCaller } from "../session/use-caller.ts";
import { votesTexts } from "../texts/votes.ts";
import { ballotTexts } from "../texts/votes-ballot.ts";
import { YouVoted } from "./you-voted.tsx";
import type { Proposal } from "./proposal.ts";
import { useOwnVotes } from "./use-proposal.ts";
import { VoteForm } from "./vote-form.tsx";
import { useRights } from "../session/use-rights.ts";

export function YourVote({ proposal }: { readonly proposal: Proposal }) {
  return (
    <section className="card" aria-labelledby="your-vote">
      <h2 id="your-vote">{ballotTexts.yourVote}</h2>
      <Content proposal={proposal} />
    </section>
  );
}

function Content({ proposal }: { readonly proposal: Proposal }) {
  const caller = useCaller();
  const rights = useRights();
  const own = useOwnVotes([proposal.id])(proposal.id);
  const isOpen = proposal.state === "open";
  // It is not known yet whose key this is. Without a key there is no proposal to show.
  if (rights === undefined) return <Loaded query={caller}>{() => null}</Loaded>;
  if (own === undefined) return null;
  if (own === null) return <p>{isOpen ? ballotTexts.notInElectorate : votesTexts.notAVoter}</p>;
  const power = ballotTexts.yourPower(own.power, proposal.totalPower);
  const mayVote = isOpen && (own.vote === null || proposal.rules.allowRevote);
  return (
    <>
      {own.vote !== null && (
        <>
          <p>
            <strong>
              <YouVoted vote={own.vote} />
            </strong>{" "}
            {votesTexts.withPower(own.vote.power)}.
          </p>
          {own.vote.rationale !== null && <blockquote className="rationale">{own.vote.rationale}</blockquote>}
          {isOpen && !proposal.rules.allowRevote && <p className="muted">{ballotTexts.voteFinal}</p>}
        </>
      )}
      {own.vote === null && !isOpen && <p>{votesTexts.notVoted}</p>}
      {mayVote && <p>{power}</p>}
      {mayVote && !rights.mayVote && <p>{ballotTexts.noVoteScope}</p>}
      {mayVote && rights.mayVote && <VoteForm key={own.vote?.castAt ?? ""} proposal={proposal} own={own} />}
      {!isOpen && <p className="muted">{ballotTexts.isClosed}</p>}
    </>
  );
}
