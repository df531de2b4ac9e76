/** A temporary PIN, shown once: it is in no address and gone when it is closed or the page is left. */
import { ExactTime } from "../../kit/age.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import type { TemporaryPin } from "./customer-acts.ts";

export interface TemporaryPinNoticeProps {
  readonly pin: TemporaryPin;
  readonly onClose: () => void;
}

export function TemporaryPinNotice({ pin, onClose }: TemporaryPinNoticeProps) {
  const { customerId, temporaryPin, expiresAt } = pin;
  return (
    <div className="notice ok" role="status">
      <div className="stack tight">
        <p>{operatorTexts.temporaryPin(customerId)}</p>
        <p className="phone-pin">
          <code>{temporaryPin}</code>
        </p>
        <p>
          {operatorTexts.expires} <ExactTime at={expiresAt} />
        </p>
        <p className="hint">{operatorTexts.temporaryHint}</p>
        <p>
          <button type="button" onClick={onClose}>
            {operatorTexts.hide}
          </button>
        </p>
      </div>
    </div>
  );
}
