/**
 * Asks before something that cannot be undone. It names the effect, says what runs until the server has answered, and shows a failure
 * where the user is.
 */
import { type ReactNode, useEffect, useState } from "react";
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

/** Milliseconds after which a dialog that has no answer may be closed: the server may be gone for good. */
const PATIENCE = 30_000;

export function ConfirmDialog({ title, effect, action, isDangerous = true, onConfirm, onClose }: ConfirmDialogProps) {
  const [phase, setPhase] = useState<"asking" | "running" | "unknown">("asking");
  const [failure, setFailure] = useState<unknown>();
  const isRunning = phase !== "asking";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => setPhase("unknown"), PATIENCE);
    return () => clearTimeout(timer);
  }, [isRunning]);
  const confirm = async (): Promise<void> => {
    if (isRunning) return;
    setPhase("running");
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error);
      setPhase("asking");
    }
  };
  return (
    <Dialog title={title} onClose={onClose} className="confirm" isLocked={phase === "running"}>
      <div className="stack">
        <div inert={isRunning}>{effect}</div>
        {failure !== undefined && <ErrorPanel error={failure} />}
        <p role="status" className={isRunning ? "muted" : "hidden-visually"}>
          {phase === "running" && `${action}: waiting for the server's answer…`}
          {phase === "unknown" &&
            "The server has not answered yet, so it is not known whether this has happened. You can close this; then look before you try again."}
        </p>
        <div className="row end wrap">
          {phase !== "running" && (
            <button type="button" onClick={onClose}>
              {phase === "unknown" ? kitTexts.close : kitTexts.cancel}
            </button>
          )}
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
