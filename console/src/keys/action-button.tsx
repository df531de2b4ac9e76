/** A button that asks the server for something, once: the second press of a double click and presses while it runs do nothing. */
import { useRef, useState, type ReactNode } from "react";

export interface ActionButtonProps {
  readonly onAct: () => Promise<unknown>;
  /** Called with what went wrong, and with undefined when it is tried again. */
  readonly onFailure: (failure: unknown) => void;
  readonly children: ReactNode;
  readonly className?: string;
  /** The button's whole name, where its words alone do not say what it is about. */
  readonly label?: string;
}

export function ActionButton({ onAct, onFailure, children, className = "", label }: ActionButtonProps) {
  const running = useRef(false);
  const [isRunning, setIsRunning] = useState(false);
  const act = async (): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setIsRunning(true);
    onFailure(undefined);
    try {
      await onAct();
    } catch (error) {
      onFailure(error);
    }
    running.current = false;
    setIsRunning(false);
  };
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-disabled={isRunning}
      // `detail` counts the clicks of a double click; for a key press it is 0.
      onClick={(event) => void (event.detail <= 1 && act())}
    >
      {children}
    </button>
  );
}
