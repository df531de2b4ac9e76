/**
 * Shows something once, such as a new secret. It closes only after the user confirms that they have stored it. Its content is only
 * in the memory of the component that opened the dialog, so it is gone when the dialog closes.
 */
import { useId, useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

export interface OnceDialogProps {
  readonly title: string;
  readonly lead: string;
  /** The content, and its name. */
  readonly shown: string;
  readonly label: string;
  readonly copyLabel: string;
  /** The confirmation that the user must give, and the text for those who do not. */
  readonly confirmation: string;
  readonly reminder: string;
  /** What leaving the page early would lose, as a sentence. */
  readonly loss: string;
  readonly onDone: () => void;
}

export function OnceDialog({
  title,
  lead,
  shown,
  label,
  copyLabel,
  confirmation,
  reminder,
  loss,
  onDone,
}: OnceDialogProps) {
  const id = useId();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const [wasAsked, setWasAsked] = useState(false);
  return (
    <>
      <Dialog title={title} isLocked onClose={onDone}>
        <div className="stack">
          <p>{lead}</p>
          <div className="stack tight">
            <p id={id} className="muted small">
              {label}
            </p>
            <div className="secret">
              <code aria-labelledby={id}>{shown}</code>
              <CopyButton text={shown} label={copyLabel} showsLabel />
            </div>
          </div>
          <label className="row top">
            <input type="checkbox" checked={isConfirmed} onChange={(event) => setIsConfirmed(event.target.checked)} />
            {confirmation}
          </label>
          <div className="row end wrap">
            <p className="field-error grow" role="status">
              {wasAsked && !isConfirmed ? reminder : ""}
            </p>
            <button
              type="button"
              className="primary"
              aria-disabled={!isConfirmed}
              onClick={() => (isConfirmed ? onDone() : setWasAsked(true))}
            >
              Done
            </button>
          </div>
        </div>
      </Dialog>
      <LeaveGuard isDirty loss={loss} />
    </>
  );
}
