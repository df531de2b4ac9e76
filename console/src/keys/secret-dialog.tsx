/**
 * Shows a new secret, this once. It closes only after somebody says that they have stored it. The secret is in the memory of the
 * component that opened the dialog and nowhere else, so it is gone when the dialog closes.
 */
import { useId, useState } from "react";
import { CopyButton } from "../kit/copy-button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { LeaveGuard } from "../kit/leave-guard.tsx";
import { keysTexts } from "../texts/keys.ts";

export interface SecretDialogProps {
  readonly kind: "key" | "webhook";
  readonly secret: string;
  readonly onStored: () => void;
}

export function SecretDialog({ kind, secret, onStored }: SecretDialogProps) {
  const id = useId();
  const [isStored, setIsStored] = useState(false);
  const [wasAsked, setWasAsked] = useState(false);
  return (
    <>
      <Dialog title={keysTexts.secretTitles[kind]} isLocked onClose={onStored}>
        <div className="stack">
          <p>{keysTexts.secretLead[kind]}</p>
          <div className="stack tight">
            <p id={id} className="muted small">
              {keysTexts.secretLabel[kind]}
            </p>
            <div className="secret">
              <code aria-labelledby={id}>{secret}</code>
              <CopyButton text={secret} label={keysTexts.copySecret[kind]} showsLabel />
            </div>
          </div>
          <label className="row top">
            <input type="checkbox" checked={isStored} onChange={(event) => setIsStored(event.target.checked)} />
            {keysTexts.haveStored}
          </label>
          <div className="row end wrap">
            <p className="field-error grow" role="status">
              {wasAsked && !isStored ? keysTexts.storeFirst : ""}
            </p>
            <button
              type="button"
              className="primary"
              aria-disabled={!isStored}
              onClick={() => (isStored ? onStored() : setWasAsked(true))}
            >
              {keysTexts.done}
            </button>
          </div>
        </div>
      </Dialog>
      <LeaveGuard isDirty loss={keysTexts.leaveSecret} />
    </>
  );
}
