/** A modal dialog on the platform's own element: it keeps the focus, closes with Escape, and gives the focus back. */
import { useEffect, useId, useRef, type ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Added to the element's class. */
  readonly className?: string;
  /** Neither Escape nor a close button closes it; only its content does. */
  readonly isLocked?: boolean;
}

/** Open while it is mounted. */
export function Dialog({ title, onClose, children, className = "", isLocked = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
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
      closedby={isLocked ? "none" : "closerequest"}
      onCancel={(event) => {
        event.preventDefault();
        if (!isLocked) onClose();
      }}
    >
      <div className="row spread">
        <h2 id={heading}>{title}</h2>
        {!isLocked && (
          <button type="button" className="ghost" onClick={onClose} aria-label={kitTexts.close}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}
