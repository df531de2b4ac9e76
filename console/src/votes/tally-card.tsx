/** The tally of one proposal: bars, numbers, and for an open one the missing votes. */
import { Icon } from "../kit/icon.tsx";
import { Person } from "../kit/person.tsx";
import { grouped, plural } from "../texts/number.ts";
import { tallyTexts, votesTexts } from "../texts/votes.ts";
import type { ProposalDetail } from "./proposal.ts";
import { standingSentences } from "./standing-sentences.ts";
import { standingOf } from "../../../shared/vote-tally.ts";
import { CastBar, LimitBars, shareText } from "./tally-bars.tsx";

export function TallyCard({ proposal }: { readonly proposal: ProposalDetail }) {
  const { tally, totalPower, rules, state } = proposal;
  const { rest } = standingOf(tally, totalPower, rules);
  const { options } = votesTexts;
  const rows = [
    ["yes", options.yes, tally.yes],
    ["no", options.no, tally.no],
    ["abstain", options.abstain, tally.abstain],
    ["no_with_veto", options.no_with_veto, tally.noWithVeto],
    ["rest", votesTexts.notCast, rest],
  ] as const;
  return (
    <section className="card" aria-labelledby="tally">
      <h2 id="tally">Tally</h2>
      <p>{tallyTexts.tallyLead(tally.cast, totalPower)}</p>
      <CastBar tally={tally} totalPower={totalPower} rules={rules} />
      <table className="tally-figures">
        <thead>
          <tr>
            <th scope="col">Vote</th>
            <th scope="col" className="number">
              Power
            </th>
            <th scope="col" className="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([className, name, power]) => (
            <tr key={className}>
              <th scope="row">
                <span className={`tally-key ${className}`} aria-hidden="true" /> {votesTexts.alone(name)}
              </th>
              <td className="number">{grouped(power)}</td>
              <td className="number">{shareText(power, totalPower)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <LimitBars tally={tally} totalPower={totalPower} rules={rules} />
      {state === "open" && (
        <ul className="standing">
          {standingSentences({ tally, totalPower, rules }).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {proposal.awaiting !== null && <p>{tallyTexts.awaiting[proposal.awaiting.reason](proposal.awaiting)}</p>}
      <WithoutKey electors={proposal.electorsWithoutKey} />
    </section>
  );
}

function WithoutKey({ electors }: { readonly electors: ProposalDetail["electorsWithoutKey"] }) {
  if (electors === null || electors.count === 0) return null;
  const unnamed = electors.count - electors.dids.length;
  return (
    <div className="notice warn">
      <Icon name="warning" />
      <div className="stack tight">
        <p>{tallyTexts.withoutKey(electors.count, electors.power)}</p>
        <ul>
          {electors.dids.map((did) => (
            <li key={did}>
              <Person did={did} canCopy />
            </li>
          ))}
        </ul>
        {unnamed > 0 && <p>{`${plural(unnamed, "other elector", "other electors")} without a key.`}</p>}
      </div>
    </div>
  );
}
