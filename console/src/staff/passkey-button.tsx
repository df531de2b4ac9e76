/** A button that asks for a passkey, and explains what to do if the browser returned none. */
import { type ReactNode, useState } from "react";
import { failureOfThrown, hasStatus } from "../api/api-failure.ts";
import { ErrorPanel } from "../kit/loaded.tsx";
import { hasDeclined } from "./passkeys.ts";

export interface PasskeyButtonProps {
  readonly onAsk: () => Promise<void>;
  readonly children: ReactNode;
  readonly isSecondary?: boolean;
}

export function PasskeyButton({ onAsk, children, isSecondary = false }: PasskeyButtonProps) {
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
        <button
          type="button"
          className={isSecondary ? "" : "primary"}
          aria-disabled={isRunning}
          onClick={() => void ask()}
        >
          {children}
        </button>
      </p>
      {failure !== undefined && <Refusal error={failure} />}
    </div>
  );
}

function Refusal({ error }: { readonly error: unknown }) {
  if (hasDeclined(error)) {
    return <p role="alert">No passkey was used. Try again, or ask an administrator for an invitation.</p>;
  }
  // The error panel would offer a sign-in with keys.
  if (hasStatus(error, 401)) return <p role="alert">{failureOfThrown(error).message}</p>;
  return <ErrorPanel error={error} />;
}
