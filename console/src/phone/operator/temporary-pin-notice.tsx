/** A temporary PIN, shown this once: until the operator has noted it, and in no address or storage. */
import { ExactTime } from "../../kit/age.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import type { TemporaryPin } from "./customer-acts.ts";

export interface TemporaryPinNoticeProps {
  readonly pin: TemporaryPin;
  readonly onNoted: () => void;
}

export function TemporaryPinNotice({ pin, onNoted }: TemporaryPinNoticeProps) {
  const { customerId, temporaryPin, expiresAt } = pin;
  return (
    <section className="notice ok" aria-label={operatorTexts.temporaryPin(customerId)}>
      <div className="stack tight">
        <div className="stack tight" role="status">
          <p>{operatorTexts.temporaryPin(customerId)}</p>
          <p className="phone-pin">
            <code>{temporaryPin}</code>
          </p>
          <p>
            {operatorTexts.expires} <ExactTime at={expiresAt} />
          </p>
          <p className="hint">{operatorTexts.temporaryHint}</p>
        </div>
        <p>
          <button type="button" onClick={onNoted}>
            {operatorTexts.noted}
          </button>
        </p>
      </div>
    </section>
  );
}
