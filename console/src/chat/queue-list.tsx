/** Messages that wait for their turn, for the network, or for the user, with what to do about each. */
import type { QueuedMessage } from "@twinedge/sdk";
import { Icon } from "../kit/icon.tsx";
import { chatTexts } from "../texts/chat.ts";
import type { ChatPlace } from "./chat-address.ts";
import { failureFacts } from "./failure-facts.ts";
import { FailureNotice } from "./failure-notice.tsx";

export interface QueueListProps {
  readonly queue: readonly QueuedMessage[];
  readonly place: ChatPlace;
  readonly onCancel: (id: string) => void;
  readonly onResume: (id: string) => void;
}

export function QueueList({ queue, place, onCancel, onResume }: QueueListProps) {
  if (queue.length === 0) return null;
  const words = chatTexts.queued;
  return (
    <ul className="chat-queue" aria-label={words.title}>
      {queue.map(({ id, message, state, error }) => (
        <li key={id} className="stack tight">
          <div className="row wrap">
            <span className="grow queued-text">{message}</span>
            <span className="muted small">{words[state]}</span>
            {state === "paused" && (
              <button type="button" className="small" onClick={() => onResume(id)}>
                {words.sendNow}
              </button>
            )}
            <button
              type="button"
              className="ghost small"
              aria-label={words.remove(message)}
              title={words.remove(message)}
              onClick={() => onCancel(id)}
            >
              <Icon name="close" />
            </button>
          </div>
          {state === "failed" && (
            <FailureNotice facts={failureFacts(error)} place={place}>
              <button type="button" className="primary" onClick={() => onResume(id)}>
                {chatTexts.sendAgain}
              </button>
            </FailureNotice>
          )}
        </li>
      ))}
    </ul>
  );
}
