/** One session: its messages, the questions to the user, and the input field. */
import { useAgActions, useChat } from "@twinedge/sdk";
import { useState } from "react";
import { pageActions } from "./actions.tsx";
import { browserTools } from "./browser-tools.ts";
import { BuiltInNote } from "./built-in-note.tsx";
import { Composer } from "./composer.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { MessageList } from "./message-list.tsx";
import { PaymentDialog } from "./payment-dialog.tsx";
import { PreferencesDialog } from "./preferences-dialog.tsx";
import { QueueList } from "./queue-list.tsx";
import { Questions } from "./questions.tsx";
import { shownTitle } from "./sessions-panel.tsx";
import { ORACLE_URL } from "./sign-in.ts";
import { toolCards } from "./tool-cards.tsx";

const overrides = { baseUrl: ORACLE_URL };

interface ConversationProps {
  readonly oracleDid: string;
  readonly sessionId: string;
  readonly title: string | undefined;
  readonly onOpenList: () => void;
}

export function Conversation({ oracleDid, sessionId, title, onOpenList }: ConversationProps) {
  useAgActions(pageActions);
  const [claims, setClaims] = useState<string[]>([]);
  const [showsPreferences, setShowsPreferences] = useState(false);
  const chat = useChat({
    oracleDid,
    sessionId,
    overrides,
    browserTools,
    uiComponents: toolCards,
    streamingMode: "throttled",
    onPaymentRequiredError: setClaims,
  });
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  // `chat.error` shows a refused message, and the queue keeps it.
  const send = (text: string): void => void chat.sendMessage(text).catch(() => undefined);

  return (
    <main className="conversation">
      <header className="bar">
        <button
          type="button"
          className="icon only-phone"
          aria-label="Open the list of conversations"
          onClick={onOpenList}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5h14M3 10h14M3 15h14" />
          </svg>
        </button>
        <h1>{shownTitle(title)}</h1>
        <ConnectionState isConnected={chat.isRealTimeConnected} run={chat.run} />
        <button type="button" className="plain" onClick={() => setShowsPreferences(true)}>
          Preferences
        </button>
      </header>
      <MessageList
        messages={chat.messages}
        status={chat.status ?? "ready"}
        isLoading={chat.isLoading}
        hasEarlier={chat.hasEarlier}
        isLoadingEarlier={chat.isLoadingEarlier}
        onLoadEarlier={chat.loadEarlier}
        onTry={send}
      />
      <div className="below">
        {chat.error !== null && (
          <p className="failure" role="alert">
            {chat.error.message}
          </p>
        )}
        <Questions questions={chat.questions} signIns={chat.signIns} onAnswer={chat.answerQuestion} />
        <QueueList queue={chat.queue} onCancel={chat.cancelQueued} onResume={chat.resumeQueue} />
        <BuiltInNote oracleDid={oracleDid} />
        <Composer isBusy={isBusy} onSend={send} onStop={() => void chat.abortStream()} />
      </div>
      <PaymentDialog claims={claims} onClose={() => setClaims([])} />
      {showsPreferences && <PreferencesDialog oracleDid={oracleDid} onClose={() => setShowsPreferences(false)} />}
    </main>
  );
}
