/** The record that is looked up: its number on the phone, the way to it, and a phone that goes it by itself on a test system. */
import { useMemo } from "react";
import { Link } from "wouter";
import { useDomainNames } from "../api/use-domain-names.ts";
import { domainHref } from "../kit/addresses.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { shortened } from "../kit/did-text.tsx";
import { Fact } from "../kit/fact.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { phoneGuideTexts as texts } from "../texts/phone-guide.ts";
import { guideSteps, type Guide } from "./guide.ts";
import type { Handset } from "./handset.ts";
import type { Line } from "./handset-state.ts";
import { ReplayPanel } from "./replay-panel.tsx";

export interface GuidePanelProps {
  readonly guide: Guide;
  readonly handset: Handset;
  readonly line: Line;
  readonly onClose: () => void;
}

const ASKED = ["pin"];

export function GuidePanel({ guide, handset, line, onClose }: GuidePanelProps) {
  const { environment, surfaces } = usePageSettings();
  const names = useDomainNames(surfaces.includes("registry") ? [guide.did] : []);
  const steps = useMemo(() => guideSteps(guide), [guide]);
  return (
    <section className="card phone-guide" aria-labelledby="phone-guide">
      <div className="row spread top">
        <h2 id="phone-guide">{texts.title(names.get(guide.did) ?? shortened(guide.did))}</h2>
        <button type="button" className="ghost small" onClick={onClose}>
          {texts.close}
        </button>
      </div>
      <p>{texts.lead}</p>
      <dl className="facts">
        <Fact name={texts.numberName}>
          <code className="phone-number-to-type">{guide.number}</code> <CopyButton text={guide.number} />
          <p className="muted small">{texts.numberHint}</p>
        </Fact>
      </dl>
      <ol className="muted">
        {texts.way.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="row wrap">
        {surfaces.includes("registry") && <Link href={domainHref(guide.did)}>{texts.domain}</Link>}
        {surfaces.includes("oracle") && <Link href={`/chat?about=${encodeURIComponent(guide.did)}`}>{texts.ask}</Link>}
      </p>
      {environment === "development" && (
        <details>
          <summary>{texts.play}</summary>
          <ReplayPanel
            title={texts.playTitle}
            lead={texts.playLead}
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
