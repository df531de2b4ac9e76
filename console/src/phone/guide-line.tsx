/** On the phone: what to do at the screen that it shows. */
import { phoneGuideTexts as texts } from "../texts/phone-guide.ts";
import type { Hint } from "./guide.ts";

export interface GuideLineProps {
  readonly hint: Hint;
  readonly onType: (text: string) => void;
}

export function GuideLine({ hint: { text, typed }, onType }: GuideLineProps) {
  return (
    <div className="phone-guide-line">
      <p aria-live="polite">{text}</p>
      {typed !== undefined && (
        <button type="button" className="small" onClick={() => onType(typed)}>
          {texts.fill(typed)}
        </button>
      )}
    </div>
  );
}
