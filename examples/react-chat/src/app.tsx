/** Signs the user in, then shows their sessions and one conversation. */
import { OraclesProvider } from "@twinedge/sdk";
import { useEffect, useState } from "react";
import { signIn, ORACLE_URL, type SignedIn } from "./sign-in.ts";
import { Workspace } from "./workspace.tsx";

export function App() {
  const [attempt, setAttempt] = useState(0);
  const [signedIn, setSignedIn] = useState<SignedIn>();
  const [failure, setFailure] = useState<string>();

  useEffect(() => {
    let current = true;
    setFailure(undefined);
    signIn().then(
      (result) => current && setSignedIn(result),
      (error: unknown) => current && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      current = false;
    };
  }, [attempt]);

  if (signedIn === undefined) {
    return (
      <main className="welcome">
        <h1>Hearth</h1>
        {failure === undefined ? (
          <p role="status">Connecting to the oracle …</p>
        ) : (
          <>
            <p role="alert">
              The oracle at {ORACLE_URL} does not answer. Start it with <code>npm run example:chat</code>.
            </p>
            <button type="button" className="primary" onClick={() => setAttempt(attempt + 1)}>
              Try again
            </button>
          </>
        )}
      </main>
    );
  }
  const { signer, oracleDid } = signedIn;
  return (
    <OraclesProvider {...signer}>
      <Workspace oracleDid={oracleDid} />
    </OraclesProvider>
  );
}
