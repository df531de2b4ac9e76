/** The caller's vote: the four options explained, a rationale, and a dialog that names the effect; or why they cannot vote. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hasStatus } from "../api/api-failure.ts";
import { api } from "../api/api.ts";
import castVoteForm from "../api/forms/cast-vote.json";
import { rememberAct } from "../api/own-acts.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { LeaveGuard } from "../kit/leave-guard.tsx";
import { sentence } from "../kit/loaded.tsx";
import { grouped, plural } from "../texts/number.ts";
import { ballotTexts, votesTexts } from "../texts/votes.ts";
import { type Counted, type OwnVote, type Proposal, type VoteOption, voteOptions } from "./proposal.ts";
import { earlyDecision, standingOf, tallyWith } from "../../../shared/vote-tally.ts";

const optionMeans = {
  yes: "You agree.",
  no: "You do not agree.",
  abstain: "Your vote counts for the quorum, but neither for nor against.",
  no_with_veto: "You do not agree. Enough of these votes reject the proposal regardless of the others.",
};

const voteDecides = {
  approved: "Your vote makes the proposal pass at once.",
  vetoed: "Your vote rejects the proposal at once, by veto.",
  threshold_not_met: "Your vote rejects the proposal at once.",
  all_abstained: "Your vote rejects the proposal at once, because everyone abstained.",
  quorum_not_met: "",
};

/** Characters. */
const LONGEST_RATIONALE = castVoteForm.properties.rationale.anyOf[0]?.maxLength ?? 0;

interface Ballot {
  readonly option: VoteOption;
  readonly rationale: string;
  /** New each time the dialog is opened, so that a vote that is sent twice counts once. */
  readonly idempotencyKey: string;
}

export function VoteForm({ proposal, own }: { readonly proposal: Proposal; readonly own: OwnVote }) {
  const [option, setOption] = useState<VoteOption | undefined>(own.vote?.option);
  const [rationale, setRationale] = useState(own.vote?.rationale ?? "");
  const [ballot, setBallot] = useState<Ballot>();
  const [isMissing, setIsMissing] = useState(false);
  const submit = (): void => {
    if (option === undefined) return setIsMissing(true);
    setBallot({ option, rationale: rationale.trim(), idempotencyKey: crypto.randomUUID() });
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <LeaveGuard
        isDirty={rationale.trim() !== (own.vote?.rationale ?? "")}
        loss="Your vote has not been cast. Your rationale will be lost."
      />
      <fieldset className="choices vote-options" aria-describedby={isMissing ? "vote-missing" : undefined}>
        <legend className="hidden-visually">{ballotTexts.yourVote}</legend>
        {voteOptions.map((each) => (
          <label key={each} className="vote-option">
            <input
              type="radio"
              name="option"
              value={each}
              checked={option === each}
              onChange={() => {
                setOption(each);
                setIsMissing(false);
              }}
            />
            <span>
              <strong>{votesTexts.alone(votesTexts.options[each])}</strong>
              <span className="hint">{optionMeans[each]}</span>
            </span>
          </label>
        ))}
        {isMissing && (
          <p className="field-error" id="vote-missing" role="alert">
            Choose one of the four options.
          </p>
        )}
      </fieldset>
      <Field label="Rationale" isOptional hint="Everyone who may read the registry sees it with your vote.">
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            maxLength={LONGEST_RATIONALE}
            value={rationale}
            onChange={(event) => setRationale(event.target.value)}
          />
        )}
      </Field>
      <p className="row wrap spread">
        <span className="muted small">{`${plural(LONGEST_RATIONALE - rationale.length, "character", "characters")} left`}</span>
        <button type="submit" className="primary">
          {own.vote === null ? "Vote" : "Change your vote"}
        </button>
      </p>
      {ballot !== undefined && (
        <ConfirmVote proposal={proposal} own={own} ballot={ballot} onClose={() => setBallot(undefined)} />
      )}
    </form>
  );
}

interface ConfirmVoteProps {
  readonly proposal: Proposal;
  readonly own: OwnVote;
  readonly ballot: Ballot;
  readonly onClose: () => void;
}

function ConfirmVote({ proposal, own, ballot, onClose }: ConfirmVoteProps) {
  const { option, rationale, idempotencyKey } = ballot;
  const queries = useQueryClient();
  const announce = useAnnounce();
  const cast = async (): Promise<void> => {
    try {
      await api.POST("/v1/proposals/{pid}/votes", {
        params: { path: { pid: proposal.id }, header: { "Idempotency-Key": idempotencyKey } },
        body: { option, rationale: rationale === "" ? null : rationale },
      });
      if (proposal.kind === "verify") rememberAct("verify");
      announce(`Your vote counts: ${votesTexts.options[option]}.`);
    } catch (error) {
      // Another holder of this DID has voted first, or the vote has ended; the page shows which.
      if (!hasStatus(error, 409) || error.code === "write_contention") throw error;
      announce(`This vote was not counted: ${sentence(error)}`);
    } finally {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["get", "/v1/votes/me"] }),
        queries.invalidateQueries({ queryKey: ["get", "/v1/proposals/{pid}"] }),
      ]);
    }
  };
  return (
    <ConfirmDialog
      title={`Vote ${votesTexts.options[option]}?`}
      effect={<p>{voteEffect(proposal, own, option).join(" ")}</p>}
      action={`Cast ${votesTexts.options[option]}`}
      isDangerous={false}
      onConfirm={cast}
      onClose={onClose}
    />
  );
}

/** The effect of the vote, in sentences. */
function voteEffect({ tally, totalPower, rules }: Counted, own: OwnVote, option: VoteOption): readonly string[] {
  const replaced = own.vote === null ? undefined : { option: own.vote.option, power: own.power };
  const after = tallyWith(tally, { option, power: own.power }, replaced);
  const { outcomeNow } = standingOf(after, totalPower, rules);
  return [
    `You cast ${grouped(own.power)} of ${grouped(totalPower)} power for ${votesTexts.options[option]}.`,
    ...(earlyDecision(after, totalPower, rules) !== undefined ? [voteDecides[outcomeNow]] : []),
    rules.allowRevote ? "You may change your vote until the end; the last one counts." : ballotTexts.voteFinal,
  ];
}
