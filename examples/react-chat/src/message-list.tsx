/** The messages, oldest first. While the reader is at the end, the list scrolls to the newest message. */
import type { ChatStatus, IMessage } from "@twinedge/sdk";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Message } from "./message.tsx";
import { Suggestions } from "./suggestions.tsx";

interface MessageListProps {
  readonly messages: readonly IMessage[];
  readonly status: ChatStatus;
  readonly isLoading: boolean;
  readonly hasEarlier: boolean;
  readonly isLoadingEarlier: boolean;
  readonly onLoadEarlier: () => Promise<void>;
  readonly onTry: (message: string) => void;
}

/** Pixels from the end within which the reader counts as being at the end. */
const NEAR_THE_END = 80;

export function MessageList(props: MessageListProps) {
  const { messages, status, isLoading, hasEarlier, isLoadingEarlier, onLoadEarlier, onTry } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const earlier = useRef<{ readonly first: string | undefined; readonly height: number }>(undefined);

  const first = messages[0]?.id;
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = earlier.current;
    if (element === null) return;
    // Older messages were added above, so the list keeps the reader's position.
    if (before !== undefined && before.first !== first) {
      element.scrollTop += element.scrollHeight - before.height;
      earlier.current = undefined;
    } else if (isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [messages, first]);

  useEffect(() => {
    isAtEnd.current = true;
  }, [status]);

  // A question below takes space, and a message near the screen gets its real height, which may exceed the estimate.
  useEffect(() => {
    const [outer, inner] = [scroller.current, stack.current];
    if (outer === null || inner === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) outer.scrollTop = outer.scrollHeight;
    });
    observer.observe(outer);
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);

  const isWaiting = status === "submitted" || (status === "streaming" && messages.at(-1)?.type === "human");
  return (
    // A scrollable element must be reachable by keyboard.
    <div
      ref={scroller}
      className="messages"
      role="log"
      aria-label="Messages"
      aria-busy={isWaiting}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_THE_END;
      }}
    >
      <div ref={stack} className="stack">
        {hasEarlier && (
          <button
            type="button"
            className="plain"
            disabled={isLoadingEarlier}
            onClick={() => {
              earlier.current = { first, height: scroller.current?.scrollHeight ?? 0 };
              void onLoadEarlier();
            }}
          >
            {isLoadingEarlier ? "Loading …" : "Show earlier messages"}
          </button>
        )}
        {messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
        {isWaiting && (
          <p className="waiting" role="status">
            <span className="visually-hidden">The oracle is answering</span>
            <span aria-hidden="true" className="dots" />
          </p>
        )}
        {!isLoading && messages.length === 0 && status === "ready" && <Suggestions onTry={onTry} />}
      </div>
    </div>
  );
}
