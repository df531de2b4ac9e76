/** What the network between phone and server does: how late replies are, and whether the next one gets lost. */
import { useId } from "react";
import { phoneTexts } from "../texts/phone.ts";
import type { Network } from "./handset-state.ts";

export interface NetworkControlsProps {
  readonly network: Network;
  readonly onChange: (changed: Partial<Network>) => void;
}

/** Seconds. */
const DELAYS = [0, 2, 8];
const SECOND = 1_000;

export function NetworkControls({ network, onChange }: NetworkControlsProps) {
  const name = useId();
  return (
    <details className="card" open>
      <summary>
        <h2>{phoneTexts.network}</h2>
      </summary>
      <fieldset className="choices">
        <legend>{phoneTexts.delay}</legend>
        <div className="row wrap">
          {DELAYS.map((seconds) => (
            <label key={seconds}>
              <input
                type="radio"
                name={name}
                checked={network.delay === seconds * SECOND}
                onChange={() => onChange({ delay: seconds * SECOND })}
              />
              {phoneTexts.delays[seconds]}
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
          {phoneTexts.loseNext}
        </label>
        <p className="hint">{phoneTexts.loseNextHint}</p>
      </div>
    </details>
  );
}
