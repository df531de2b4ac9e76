/** A modal dialog on the platform's own element: it keeps the focus, closes with Escape, and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { isComposing } from "./is-composing.ts";
import { ErrorPanel } from "./loaded.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Added to the element's class. */
  readonly className?: string;
  /** Only the content can close it; Escape and the close button do nothing. */
  readonly isLocked?: boolean;
  /** What closing would lose now, as a sentence that is shown first. */
  readonly loss?: string | undefined;
}

/** Open while it is mounted. */
export function Dialog({ title, onClose, children, className = "", isLocked = false, loss }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [isAsking, setIsAsking] = useState(false);
  const focused = useRef<Element>(null);
  const ask = (): void => {
    focused.current = document.activeElement;
    setIsAsking(true);
  };
  const stay = (): void => {
    // The element that regains the focus must be rendered first.
    flushSync(() => setIsAsking(false));
    if (focused.current instanceof HTMLElement) focused.current.focus();
  };
  const close = (): void => {
    if (isLocked) return;
    if (loss === undefined) onClose();
    // A second Escape does not answer the question.
    else if (isAsking) stay();
    else ask();
  };
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog ${className}`}
      aria-labelledby={heading}
      // A browser lets a page refuse a second Escape only after another user action, so a dialog that asks closes itself.
      closedby={isLocked || loss !== undefined ? "none" : "closerequest"}
      onKeyDown={(event) => {
        const isOwn = event.target instanceof Element && event.target.closest("dialog") === element.current;
        if (loss !== undefined && event.key === "Escape" && isOwn && !isComposing(event)) close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <div className="row spread">
        <h2 id={heading}>{title}</h2>
        {!isLocked && (
          <button type="button" className="ghost" onClick={close} aria-label={kitTexts.close}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <div className={isAsking ? "" : "stack"} hidden={isAsking}>
        {children}
      </div>
      {isAsking && <LossQuestion loss={loss ?? ""} onStay={stay} onLeave={onClose} />}
    </dialog>
  );
}

export interface LossQuestionProps {
  readonly loss: string;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

export function LossQuestion({ loss, onStay, onLeave }: LossQuestionProps) {
  return (
    <div className="stack" role="alert">
      <p>{loss}</p>
      <div className="row end wrap">
        <button type="button" autoFocus onClick={onStay}>
          Stay here
        </button>
        <button type="button" className="danger" onClick={onLeave}>
          Leave and discard
        </button>
      </div>
    </div>
  );
}

export interface ConfirmDialogProps {
  readonly title: string;
  /** The effect, in words. */
  readonly effect: ReactNode;
  /** The verb of the effect, such as "Revoke the key". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Runs once, however often the button is pressed. The dialog closes on success. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Milliseconds after which an unanswered dialog can be closed: the server may be gone permanently. */
const PATIENCE = 30_000;

/** Asks before an irreversible action. It names the effect, shows that the request is running, and shows a failure in place. */
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
            "The server has not answered yet, so the outcome is unknown. You can close this. Check the outcome before you try again."}
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
