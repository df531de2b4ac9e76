/** The user's sessions: select, start, delete, load more. */
import type { useOracleSessions } from "@twinedge/sdk";
import { ThemeSwitch } from "./theme-switch.tsx";

interface SessionsPanelProps {
  readonly sessions: ReturnType<typeof useOracleSessions>;
  readonly chosen: string | undefined;
  readonly isOpen: boolean;
  readonly onChoose: (sessionId: string) => void;
  readonly onStart: () => Promise<void>;
  readonly onClose: () => void;
  readonly onDelete: (sessionId: string) => Promise<void>;
  /** Why the list could not be loaded, or a conversation could not be started or deleted. */
  readonly failure: Error | undefined;
}

/** An oracle sets a session's title after its first answer. */
export function shownTitle(title: string | undefined): string {
  return title === undefined || title === "" || title === "Untitled" ? "New conversation" : title;
}

export function SessionsPanel(props: SessionsPanelProps) {
  const { sessions, chosen, isOpen, onChoose, onStart, onClose, onDelete, failure } = props;
  async function remove(sessionId: string, title: string): Promise<void> {
    if (confirm(`Delete "${title}"? Its messages are deleted too.`)) await onDelete(sessionId);
  }
  return (
    <>
      {isOpen && <button type="button" className="scrim" aria-label="Close the list" onClick={onClose} />}
      <aside className={isOpen ? "panel open" : "panel"} aria-label="Conversations">
        <header className="panel-head">
          <span className="brand">Hearth</span>
          <ThemeSwitch />
        </header>
        <button
          type="button"
          className="primary wide"
          disabled={sessions.isCreatingSession}
          onClick={() => void onStart()}
        >
          New conversation
        </button>
        <nav aria-label="Your conversations">
          <ul className="sessions">
            {sessions.sessions.map(({ sessionId, title: given }) => {
              const title = shownTitle(given);
              return (
                <li key={sessionId} className={sessionId === chosen ? "chosen" : undefined}>
                  <button
                    type="button"
                    className="session"
                    aria-current={sessionId === chosen ? "page" : undefined}
                    onClick={() => onChoose(sessionId)}
                  >
                    {title}
                  </button>
                  <button
                    type="button"
                    className="icon"
                    aria-label={`Delete ${title}`}
                    onClick={() => void remove(sessionId, title)}
                  >
                    <svg viewBox="0 0 20 20" aria-hidden="true">
                      <path d="M5 6h10M8 6V4h4v2m-6 0 1 10h6l1-10" />
                    </svg>
                  </button>
                </li>
              );
            })}
          </ul>
        </nav>
        {sessions.isLoading && <p className="quiet">Loading …</p>}
        {failure !== undefined && (
          <p className="failure" role="alert">
            {failure.message}
          </p>
        )}
        {sessions.hasNextPage && (
          <button
            type="button"
            className="plain wide"
            disabled={sessions.isFetchingNextPage}
            onClick={() => void sessions.fetchNextPage()}
          >
            Show older conversations
          </button>
        )}
      </aside>
    </>
  );
}
