/** Seals all PINs and keys again under the current key, batch by batch, and says how far it is. */
import { useState } from "react";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { rotateKeys, type RotationCounts } from "./customer-acts.ts";

export function KeyRotation() {
  const [isAsked, setIsAsked] = useState(false);
  const [counts, setCounts] = useState<RotationCounts>();
  return (
    <section className="card">
      <h2>{operatorTexts.keys}</h2>
      <p className="muted">{operatorTexts.keysLead}</p>
      <p>
        <button type="button" onClick={() => setIsAsked(true)}>
          {operatorTexts.rotate}
        </button>
      </p>
      <div role="status">
        {counts !== undefined && <p>{operatorTexts.rotated(counts.examined, counts.resealed, counts.unreadable)}</p>}
        {counts !== undefined && counts.unreadable > 0 && <p>{operatorTexts.unreadable}</p>}
      </div>
      {isAsked && (
        <ConfirmDialog
          title={operatorTexts.rotateTitle}
          effect={operatorTexts.rotateEffect}
          action={operatorTexts.rotate}
          isDangerous={false}
          onConfirm={() => rotateKeys(setCounts)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </section>
  );
}
