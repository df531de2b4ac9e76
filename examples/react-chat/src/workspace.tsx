/** The page: the list of sessions beside the selected one. On a phone, the list opens over it. */
import { useOracleSessions } from "@twinedge/sdk";
import { useCallback, useEffect, useState } from "react";
import { Conversation } from "./conversation.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { ORACLE_URL } from "./sign-in.ts";
import { useSessionInAddress } from "./session-in-address.ts";

const overrides = { baseUrl: ORACLE_URL };

export function Workspace({ oracleDid }: { readonly oracleDid: string }) {
  const sessions = useOracleSessions(oracleDid, overrides);
  const [chosen, choose] = useSessionInAddress();
  const [isListOpen, setListOpen] = useState(false);
  const { createSession, deleteSession } = sessions;

  const [refusal, setRefusal] = useState<Error>();
  const failure = refusal ?? sessions.error ?? undefined;

  /** Runs a user action. An error stays visible until the next action. */
  const attempt = useCallback(async (work: () => Promise<void>) => {
    setRefusal(undefined);
    try {
      await work();
    } catch (error) {
      setRefusal(error instanceof Error ? error : new Error(String(error)));
    }
  }, []);
  const start = useCallback(
    () =>
      attempt(async () => {
        const { sessionId } = await createSession();
        choose(sessionId);
        setListOpen(false);
      }),
    [attempt, createSession, choose],
  );

  const newest = sessions.sessions[0]?.sessionId;
  useEffect(() => {
    if (chosen === undefined && newest !== undefined) choose(newest);
  }, [chosen, newest, choose]);

  return (
    <div className="workspace">
      <a className="skip" href="#message">
        Skip to the message field
      </a>
      <SessionsPanel
        sessions={sessions}
        chosen={chosen}
        isOpen={isListOpen}
        onChoose={(sessionId) => {
          choose(sessionId);
          setListOpen(false);
        }}
        onStart={start}
        onClose={() => setListOpen(false)}
        onDelete={(sessionId) =>
          attempt(async () => {
            await deleteSession(sessionId);
            if (sessionId === chosen) choose(undefined);
          })
        }
        failure={chosen === undefined ? undefined : failure}
      />
      {chosen === undefined ? (
        <main className="welcome">
          <h1>Welcome to Hearth</h1>
          <p>Ask about stoves, visits and credits. Your conversations stay in the list.</p>
          {failure !== undefined && <p role="alert">{failure.message}</p>}
          <button type="button" className="primary" disabled={sessions.isCreatingSession} onClick={() => void start()}>
            Start a conversation
          </button>
        </main>
      ) : (
        <Conversation
          key={chosen}
          oracleDid={oracleDid}
          sessionId={chosen}
          title={sessions.sessions.find(({ sessionId }) => sessionId === chosen)?.title}
          onOpenList={() => setListOpen(true)}
        />
      )}
    </div>
  );
}
