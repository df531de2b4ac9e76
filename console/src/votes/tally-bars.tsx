/**
 * Charts of the tally: the share of all power per option with the quorum's mark, and, in full, yes among the decisive votes and the
 * veto among all votes cast, each with its limit's mark. Patterns distinguish the parts, and every number is also a text.
 */
import { grouped } from "../texts/number.ts";
import { tallyTexts, votesTexts } from "../texts/votes.ts";
import type { Counted } from "./proposal.ts";
import { standingOf, WHOLE_BP } from "../../../shared/vote-tally.ts";
import { shareOf } from "./share-of.ts";

const quorumMark = (power: number) => `quorum ${grouped(power)}`;

const barOf = (name: string, part: number, whole: number, of: string) =>
  `${name}: ${grouped(part)} of ${grouped(whole)} (${of}).`;

/** The part and the colour of each option, in display order. */
const parts = [
  ["yes", "yes"],
  ["abstain", "abstain"],
  ["no", "no"],
  ["noWithVeto", "no_with_veto"],
] as const;

export function CastBar({ tally, totalPower, rules }: Counted) {
  const { quorumPower, rest } = standingOf(tally, totalPower, rules);
  const shares = parts.map(([member, option]) => ({ option, power: tally[member] }));
  const label = [
    ...shares.map(({ option, power }) => partText(votesTexts.options[option], power, totalPower)),
    tallyTexts.part(votesTexts.notCast, rest, shareText(rest, totalPower)),
  ];
  return (
    <Bar
      label={`The power of each option: ${label.join(", ")}. ${quorumMark(quorumPower)}.`}
      pieces={shares.map(({ option, power }) => ({ className: option, share: power / totalPower }))}
      mark={quorumPower / totalPower}
      markText={quorumMark(quorumPower)}
      name="All power"
    />
  );
}

export function LimitBars({ tally, totalPower, rules }: Counted) {
  const { cast, decisive } = standingOf(tally, totalPower, rules);
  const yes = votesTexts.options.yes;
  const veto = votesTexts.options.no_with_veto;
  return (
    <>
      <Bar
        name="Votes that do not abstain"
        label={`${barOf(yes, tally.yes, decisive, shareText(tally.yes, decisive))} ${tallyTexts.thresholdMark(rules.thresholdBp)}.`}
        pieces={[
          { className: "yes", share: decisive === 0 ? 0 : tally.yes / decisive },
          { className: "no", share: decisive === 0 ? 0 : (tally.no + tally.noWithVeto) / decisive },
        ]}
        mark={rules.thresholdBp / WHOLE_BP}
        markText={tallyTexts.thresholdMark(rules.thresholdBp)}
      />
      {rules.vetoBp < WHOLE_BP && (
        <Bar
          name="Cast power"
          label={`${barOf(veto, tally.noWithVeto, cast, shareText(tally.noWithVeto, cast))} ${tallyTexts.vetoMark(rules.vetoBp)}.`}
          pieces={[{ className: "no_with_veto", share: cast === 0 ? 0 : tally.noWithVeto / cast }]}
          mark={rules.vetoBp / WHOLE_BP}
          markText={tallyTexts.vetoMark(rules.vetoBp)}
        />
      )}
    </>
  );
}

export function shareText(part: number, whole: number): string {
  return votesTexts.percent(shareOf(part, whole));
}

function partText(option: string, power: number, total: number): string {
  return tallyTexts.part(option, power, shareText(power, total));
}

interface BarProps {
  readonly name: string;
  /** The whole chart in words. */
  readonly label: string;
  readonly pieces: readonly { readonly className: string; readonly share: number }[];
  /** The position of the limit, from 0 to 1. */
  readonly mark: number;
  readonly markText: string;
}

function Bar({ name, label, pieces, mark, markText }: BarProps) {
  return (
    <div>
      <div className="tally-names small muted" aria-hidden="true">
        <span>{name}</span>
        <span>{markText}</span>
      </div>
      <div className="tally-track" role="img" aria-label={label}>
        {pieces.map(({ className, share }) => (
          <span key={className} className={`tally-part ${className}`} style={{ inlineSize: `${share * 100}%` }} />
        ))}
        <span className="tally-mark" style={{ insetInlineStart: `min(${mark * 100}%, 100% - 2px)` }} />
      </div>
    </div>
  );
}
