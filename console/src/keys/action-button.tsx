/** A button that sends one request: the second press of a double click, and presses during the request, have no effect. */
import { useRef, useState, type ReactNode } from "react";

export interface ActionButtonProps {
  readonly onAct: () => Promise<unknown>;
  /** Called with the error, and with undefined on a retry. */
  readonly onFailure: (failure: unknown) => void;
  readonly children: ReactNode;
  readonly className?: string;
  /** The button's accessible name, if its text alone is ambiguous. */
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
