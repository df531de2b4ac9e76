/** A button that asks for a passkey, and says what to do if there was none. */
import { type ReactNode, useState } from "react";
import { ErrorPanel } from "../kit/loaded.tsx";
import { hasDeclined } from "./passkeys.ts";

export interface PasskeyButtonProps {
  readonly onAsk: () => Promise<void>;
  readonly children: ReactNode;
}

export function PasskeyButton({ onAsk, children }: PasskeyButtonProps) {
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const ask = async (): Promise<void> => {
    if (isRunning) return;
    setIsRunning(true);
    setFailure(undefined);
    try {
      await onAsk();
    } catch (error) {
      setFailure(error);
    }
    setIsRunning(false);
  };
  return (
    <div className="stack tight">
      <p>
        <button type="button" className="primary" aria-disabled={isRunning} onClick={() => void ask()}>
          {children}
        </button>
      </p>
      {failure !== undefined &&
        (hasDeclined(failure) ? (
          <p role="alert">No passkey was used. Try again, or ask an administrator for an invitation.</p>
        ) : (
          <ErrorPanel error={failure} />
        ))}
    </div>
  );
}
