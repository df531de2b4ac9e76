/** How a finished proposal ended, and why. */
import { ExactTime } from "../kit/age.tsx";
import { Age } from "../kit/age.tsx";
import { proposalTexts } from "../texts/votes-proposal.ts";
import type { Proposal } from "./proposal.ts";

const tones = { passed: "ok", rejected: "danger", expired: "warn", withdrawn: "", superseded: "warn" } as const;

export function Outcome({ proposal }: { readonly proposal: Proposal }) {
  const { state, decidedAt } = proposal;
  if (state === "open") return null;
  const [result, ...why] = outcomeSentences(proposal);
  return (
    <section className={`notice ${tones[state]}`} aria-labelledby="outcome">
      <div className="stack tight">
        <h2 id="outcome" className="hidden-visually">
          {proposalTexts.outcome}
        </h2>
        <p>
          <strong>{result}</strong>
        </p>
        {why.length > 0 && <p>{why.join(" ")}</p>}
        {decidedAt !== null && (
          <p className="small muted">
            <Age at={decidedAt} /> · <ExactTime at={decidedAt} />
          </p>
        )}
      </div>
    </section>
  );
}

function outcomeSentences(proposal: Proposal): readonly string[] {
  const { state, outcomeReason, decidedEarly, tally, totalPower } = proposal;
  if (state === "open") return [];
  const reason = outcomeReason === null ? [] : [proposalTexts.outcomeWhy[outcomeReason]];
  if (state === "withdrawn") {
    return [
      proposalTexts.outcomes.withdrawn,
      ...(outcomeReason === null ? [] : [proposalTexts.reasonGiven(outcomeReason)]),
    ];
  }
  if (state === "superseded") return [proposalTexts.outcomes.superseded, ...defined(reason)];
  return [
    resultOf(proposal),
    ...defined(reason),
    proposalTexts.powerWas(tally.cast, totalPower),
    decidedEarly ? proposalTexts.decidedEarly : proposalTexts.decidedAtEnd,
  ];
}

function resultOf({ state, kind }: Proposal): string {
  if (state === "passed")
    return kind === "verify" ? proposalTexts.outcomes.passedVerify : proposalTexts.outcomes.passedRevoke;
  return state === "expired" ? proposalTexts.outcomes.expired : proposalTexts.outcomes.rejected;
}

function defined(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined);
}
