/** The caller's vote: the four options explained, a rationale, and a dialog that names the effect; or why they cannot vote. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { hasStatus } from "../api/api-failure.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { sentence } from "../kit/error-panel.tsx";
import { Field } from "../kit/field.tsx";
import { LeaveGuard } from "../kit/leave-guard.tsx";
import castVoteForm from "../api/forms/cast-vote.json";
import { votesTexts } from "../texts/votes.ts";
import { ballotTexts } from "../texts/votes-ballot.ts";
import { voteOptions, type Counted, type OwnVote, type Proposal, type VoteOption } from "./proposal.ts";
import { earlyDecision, standingOf, tallyWith } from "../../../shared/vote-tally.ts";

/** Characters. */
const LONGEST_RATIONALE = castVoteForm.properties.rationale.anyOf[0]?.maxLength ?? 0;

interface Ballot {
  readonly option: VoteOption;
  readonly rationale: string;
  /** New each time that the dialog is opened, so that a vote that is sent twice counts once. */
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
      <LeaveGuard isDirty={rationale.trim() !== (own.vote?.rationale ?? "")} loss={ballotTexts.voteLoss} />
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
              <span className="hint">{ballotTexts.optionMeans[each]}</span>
            </span>
          </label>
        ))}
        {isMissing && (
          <p className="field-error" id="vote-missing" role="alert">
            {ballotTexts.chooseOption}
          </p>
        )}
      </fieldset>
      <Field label={ballotTexts.rationale} isOptional hint={ballotTexts.rationaleHint}>
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
        <span className="muted small">{ballotTexts.left(LONGEST_RATIONALE - rationale.length)}</span>
        <button type="submit" className="primary">
          {own.vote === null ? ballotTexts.vote : ballotTexts.changeVote}
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
      announce(ballotTexts.voteCast(votesTexts.options[option]));
    } catch (error) {
      // Somebody with the same DID has voted first, or the vote has ended; the page shows which.
      if (!hasStatus(error, 409) || error.code === "write_contention") throw error;
      announce(ballotTexts.voteNotCounted(sentence(error)));
    } finally {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["get", "/v1/votes/me"] }),
        queries.invalidateQueries({ queryKey: ["get", "/v1/proposals/{pid}"] }),
      ]);
    }
  };
  return (
    <ConfirmDialog
      title={ballotTexts.confirmVote(votesTexts.options[option])}
      effect={<p>{voteEffect(proposal, own, option).join(" ")}</p>}
      action={ballotTexts.castVote(votesTexts.options[option])}
      isDangerous={false}
      onConfirm={cast}
      onClose={onClose}
    />
  );
}

/** What the vote does, in sentences. */
function voteEffect({ tally, totalPower, rules }: Counted, own: OwnVote, option: VoteOption): readonly string[] {
  const replaced = own.vote === null ? undefined : { option: own.vote.option, power: own.power };
  const after = tallyWith(tally, { option, power: own.power }, replaced);
  const { outcomeNow } = standingOf(after, totalPower, rules);
  return [
    ballotTexts.voteEffect(own.power, totalPower, votesTexts.options[option]),
    ...(earlyDecision(after, totalPower, rules) !== undefined ? [ballotTexts.voteDecides[outcomeNow]] : []),
    rules.allowRevote ? ballotTexts.voteChangeable : ballotTexts.voteFinal,
  ];
}
