/** A modal dialog on the platform's own element: it keeps the focus, closes with Escape, and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { isComposing } from "./is-composing.ts";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Added to the element's class. */
  readonly className?: string;
  /** Neither Escape nor a close button closes it; only its content does. */
  readonly isLocked?: boolean;
  /** What is lost when somebody closes it now, in a sentence that is shown first. */
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
    // What has the focus again must be there again first.
    flushSync(() => setIsAsking(false));
    if (focused.current instanceof HTMLElement) focused.current.focus();
  };
  const close = (): void => {
    if (isLocked) return;
    if (loss === undefined) onClose();
    // A second Escape is no answer to the question.
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
      // A browser lets a page refuse a second Escape only after another act of the user, so a dialog that asks closes itself.
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
