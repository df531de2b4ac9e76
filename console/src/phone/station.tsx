/** One phone with all that belongs to it: the handset, its settings and network, its session, its requests. */
import { phoneTexts } from "../texts/phone.ts";
import type { Guide } from "./guide.ts";
import { GuidePanel } from "./guide-panel.tsx";
import type { Handset } from "./handset.ts";
import { HandsetView } from "./handset-view.tsx";
import type { Line } from "./handset-state.ts";
import { LineSettings } from "./line-settings.tsx";
import { NetworkControls } from "./network-controls.tsx";
import { RequestLog } from "./request-log.tsx";
import { SessionTools } from "./session-tools.tsx";
import { useHandset } from "./use-handset.ts";

export interface StationProps {
  readonly number: 1 | 2;
  readonly handset: Handset;
  readonly line: Line;
  /** Steps of a shared session, as the address has them. */
  readonly shared: readonly string[];
  readonly onLine: (changed: Partial<Line>) => void;
  readonly onDismissShared?: () => void;
  /** To the record that somebody looks up. */
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
    <section className="station" aria-label={phoneTexts.phoneTitle(number)}>
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
