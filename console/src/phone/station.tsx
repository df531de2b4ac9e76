/** One phone with its parts: the handset, its settings and network, its session, its requests. */
import { useId, useMemo } from "react";
import { Link } from "wouter";
import { useDomainNames } from "../api/use-domain-names.ts";
import { domainHref } from "../kit/addresses.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { Fact } from "../kit/fact.tsx";
import { shortened } from "../kit/person.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { type Guide, guideSteps } from "./guide.ts";
import type { Line, Network } from "./handset-state.ts";
import { HandsetView } from "./handset-view.tsx";
import type { Handset } from "./handset.ts";
import { LineSettings } from "./line-settings.tsx";
import { ReplayPanel } from "./replay-panel.tsx";
import { RequestLog } from "./request-log.tsx";
import { SessionTools } from "./session-tools.tsx";
import { useHandset } from "./use-handset.ts";

const delays = { 0: "at once", 2: "2 s late", 8: "8 s late" } as Readonly<Record<number, string>>;

const way = [
  "Callers need an account: create one with a name and a five-digit PIN.",
  "Log in with the Customer ID that the phone then shows, and the PIN.",
  "Under Services, check a record's status by its number.",
];

export interface StationProps {
  readonly number: 1 | 2;
  readonly handset: Handset;
  readonly line: Line;
  /** Steps of a shared session, from the address. */
  readonly shared: readonly string[];
  readonly onLine: (changed: Partial<Line>) => void;
  readonly onDismissShared?: () => void;
  /** The way to the record that the user looks up. */
  readonly guide?: Guide | undefined;
  readonly onCloseGuide?: () => void;
}

const nothing = (): void => undefined;

export function Station({
  number,
  handset,
  line,
  shared,
  onLine,
  onDismissShared,
  guide,
  onCloseGuide = nothing,
}: StationProps) {
  const { network, log } = useHandset(handset);
  return (
    <section className="station" aria-label={`Phone ${number}`}>
      <div className="station-columns">
        {guide !== undefined && <GuidePanel guide={guide} handset={handset} line={line} onClose={onCloseGuide} />}
        <HandsetView number={number} handset={handset} line={line} takesFocus={number === 1} guide={guide} />
        <div className="stack">
          <SessionTools
            handset={handset}
            line={line}
            shared={shared}
            onLine={onLine}
            onDismissShared={onDismissShared}
          />
          <LineSettings line={line} onChange={onLine} />
          <NetworkControls network={network} onChange={handset.setNetwork} />
          <RequestLog log={log} />
        </div>
      </div>
    </section>
  );
}

interface NetworkControlsProps {
  readonly network: Network;
  readonly onChange: (changed: Partial<Network>) => void;
}

/** Seconds. */
const DELAYS = [0, 2, 8];
const SECOND = 1_000;

/** Network conditions between phone and server: delayed replies, and losing the next one. */
function NetworkControls({ network, onChange }: NetworkControlsProps) {
  const name = useId();
  return (
    <details className="card" open>
      <summary>
        <h2>Network</h2>
      </summary>
      <fieldset className="choices">
        <legend>Replies arrive</legend>
        <div className="row wrap">
          {DELAYS.map((seconds) => (
            <label key={seconds}>
              <input
                type="radio"
                name={name}
                checked={network.delay === seconds * SECOND}
                onChange={() => onChange({ delay: seconds * SECOND })}
              />
              {delays[seconds]}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="choices">
        <label>
          <input
            type="checkbox"
            checked={network.losesNext}
            onChange={(event) => onChange({ losesNext: event.target.checked })}
          />
          Lose the next reply
        </label>
        <p className="hint">The server processes the request, but the phone gets no reply.</p>
      </div>
    </details>
  );
}

interface GuidePanelProps {
  readonly guide: Guide;
  readonly handset: Handset;
  readonly line: Line;
  readonly onClose: () => void;
}

const ASKED = ["pin"];

/**
 * The record to look up: its number on the phone, the way to it, and on a test system a phone that follows the way automatically.
 */
function GuidePanel({ guide, handset, line, onClose }: GuidePanelProps) {
  const { environment, surfaces } = usePageSettings();
  const names = useDomainNames(surfaces.includes("registry") ? [guide.did] : []);
  const steps = useMemo(() => guideSteps(guide), [guide]);
  return (
    <section className="card phone-guide" aria-labelledby="phone-guide">
      <div className="row spread top">
        <h2 id="phone-guide">{`Look up ${names.get(guide.did) ?? shortened(guide.did)}`}</h2>
        <button type="button" className="ghost small" onClick={onClose}>
          Close
        </button>
      </div>
      <p>The line below the phone's display shows what to send at each screen.</p>
      <dl className="facts">
        <Fact name="Its number on the phone">
          <code className="phone-number-to-type">{guide.number}</code> <CopyButton text={guide.number} />
          <p className="muted small">The end of its DID, in lower or upper case</p>
        </Fact>
      </dl>
      <ol className="muted">
        {way.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="row wrap">
        {surfaces.includes("registry") && <Link href={domainHref(guide.did)}>Open the domain</Link>}
        {surfaces.includes("oracle") && (
          <Link href={`/chat?about=${encodeURIComponent(guide.did)}`}>Ask the oracle about it</Link>
        )}
      </p>
      {environment === "development" && (
        <details>
          <summary>Or let the phone do it</summary>
          <ReplayPanel
            title="The phone presses the keys"
            lead="It creates an account with the PIN that you choose, logs in and looks up the record."
            handset={handset}
            steps={steps}
            asked={ASKED}
            lineOf={() => line}
            onDismiss={undefined}
          />
        </details>
      )}
    </section>
  );
}
