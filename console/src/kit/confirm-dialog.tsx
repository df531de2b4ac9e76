/** Asks before something that cannot be undone. It names the effect, and shows a failure where the user is. */
import { useState, type ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorPanel } from "./error-panel.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen, in words. */
  readonly effect: ReactNode;
  /** The verb of the effect, such as "Revoke the key". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Runs once, however often the button is pressed. The dialog closes when it succeeds. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, effect, action, isDangerous = true, onConfirm, onClose }: ConfirmDialogProps) {
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const confirm = async (): Promise<void> => {
    if (isRunning) return;
    setIsRunning(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error);
      setIsRunning(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} className="confirm">
      <div className="stack">
        <div>{effect}</div>
        {failure !== undefined && <ErrorPanel error={failure} />}
        <div className="row end wrap">
          <button type="button" onClick={onClose}>
            {kitTexts.cancel}
          </button>
          <button
            type="button"
            className={isDangerous ? "danger" : "primary"}
            aria-disabled={isRunning}
            onClick={() => void confirm()}
          >
            {action}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
