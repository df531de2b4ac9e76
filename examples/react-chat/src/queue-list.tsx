/** Messages that wait for their turn, for the network, or for the user. */
import type { QueuedMessage } from "@twinedge/sdk";

const explanations: Record<QueuedMessage["state"], string> = {
  waiting: "Sent after this reply",
  offline: "Sent when you are online",
  paused: "Paused",
  failed: "Not sent",
};

interface QueueListProps {
  readonly queue: readonly QueuedMessage[];
  readonly onCancel: (id: string) => void;
  readonly onResume: (id?: string) => void;
}

export function QueueList({ queue, onCancel, onResume }: QueueListProps) {
  if (queue.length === 0) return null;
  return (
    <ul className="queue" aria-label="Waiting messages">
      {queue.map(({ id, message, state, error }) => (
        <li key={id} className={state}>
          <span className="queued-text">{message}</span>
          <span className="quiet">{error === undefined ? explanations[state] : error.message}</span>
          {(state === "paused" || state === "failed") && (
            <button type="button" className="plain" onClick={() => onResume(id)}>
              {state === "paused" ? "Send now" : "Send again"}
            </button>
          )}
          <button type="button" className="icon" aria-label={`Remove "${message}"`} onClick={() => onCancel(id)}>
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="m5 5 10 10M15 5 5 15" />
            </svg>
          </button>
        </li>
      ))}
    </ul>
  );
}
