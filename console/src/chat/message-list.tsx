/** The messages, oldest first. While the reader is at the end it stays there; elsewhere what they read keeps its place. */
import {
  type IComponentMetadata,
  type IMessage,
  type MessageContent,
  type UseChatResult,
  renderMessageContent,
} from "@twinedge/sdk";
import { Fragment, type ReactNode, memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../kit/icon.tsx";
import { lazyPart } from "../kit/lazy-part.tsx";
import { Skeleton } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import { OpenCalls } from "./chat-context.ts";
import { toolCards } from "./tool-cards.tsx";

export interface MessageListProps {
  readonly chat: Pick<
    UseChatResult,
    "messages" | "questions" | "status" | "isLoading" | "hasEarlier" | "isLoadingEarlier" | "loadEarlier"
  >;
  /** After the last message: what to try first, what went wrong, what the oracle asks. */
  readonly children?: ReactNode;
}

/** Pixels from the end within which the reader counts as being at it. */
const NEAR_THE_END = 60;

export function MessageList({ chat, children }: MessageListProps) {
  const { messages, questions, status, isLoading, hasEarlier, isLoadingEarlier, loadEarlier } = chat;
  const scroller = useRef<HTMLDivElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [openCalls] = useState(() => new Set<string>());
  /** The reader follows the end: until they scroll up, and again once they are back. */
  const atEnd = useRef(true);
  const lastTop = useRef(0);
  /** The first message and the height before earlier ones came in above. */
  const before = useRef<{ readonly first: string | undefined; readonly height: number }>(undefined);
  const first = messages[0]?.id;
  // Suggestions are read from their beginning.
  const sticks = useLatestValue(messages.length > 0);
  const toEnd = (): void => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (before.current !== undefined && before.current.first !== first) {
      element.scrollTop += element.scrollHeight - before.current.height;
      before.current = undefined;
    } else if (atEnd.current && messages.length > 0) toReadableEnd(element);
  }, [messages, questions, first]);

  // A user who sends a message wants to see it.
  useEffect(() => {
    if (status !== "submitted") return;
    atEnd.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [status]);

  // The elements below may leave less room, and an opened card takes more.
  useEffect(() => {
    const [outer, inner] = [scroller.current, stack.current];
    if (outer === null || inner === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (atEnd.current && sticks.current) toReadableEnd(outer);
    });
    observer.observe(outer);
    observer.observe(inner);
    return () => observer.disconnect();
  }, [sticks]);

  const isBusy = status === "submitted" || status === "streaming";
  return (
    <div className="chat-messages">
      <div
        ref={scroller}
        className="chat-scroller"
        role="log"
        aria-live="off"
        aria-label="Messages"
        aria-busy={isBusy}
        // Scrollable, so it takes the keyboard too.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const isNear = scrollHeight - scrollTop - clientHeight < NEAR_THE_END;
          // When content below grows, the reader has not scrolled away.
          if (isNear || scrollTop < lastTop.current) atEnd.current = isNear;
          lastTop.current = scrollTop;
          setIsAtEnd(isNear);
        }}
      >
        <div ref={stack} className="chat-stack">
          {hasEarlier && (
            <button
              type="button"
              aria-disabled={isLoadingEarlier}
              onClick={() => {
                if (isLoadingEarlier) return;
                before.current = { first, height: scroller.current?.scrollHeight ?? 0 };
                void loadEarlier();
              }}
            >
              {isLoadingEarlier ? "Loading earlier messages" : "Show earlier messages"}
            </button>
          )}
          {isLoading && messages.length === 0 && <Skeleton rows={4} />}
          <OpenCalls value={openCalls}>
            {messages.map(
              (message) =>
                (message === messages.at(-1) || !isPlaceholder(message)) && (
                  <Message key={message.id} message={message} />
                ),
            )}
          </OpenCalls>
          {isWaiting(status, messages) && <p className="chat-dots" aria-hidden="true" />}
          {children}
        </div>
      </div>
      {!isAtEnd && messages.length > 0 && (
        <button type="button" className="to-newest small" onClick={toEnd}>
          <Icon name="chevron" />
          {questions.length > 0 ? "The oracle has a question for you" : chatTexts.toNewest}
        </button>
      )}
      <p className="hidden-visually" role="status">
        {isBusy ? "The oracle is answering" : messages.at(-1)?.type === "ai" ? "The answer is complete" : ""}
      </p>
    </div>
  );
}

/** Down to the end, or to the beginning of a question that is taller than what is seen. */
function toReadableEnd(scroller: HTMLElement): void {
  const question = scroller.querySelector(".chat-questions > *");
  const above = question && question.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  const end = scroller.scrollHeight - scroller.clientHeight;
  scroller.scrollTop = above === null ? end : Math.max(scroller.scrollTop, Math.min(end, scroller.scrollTop + above));
}

/** The value of the last render, for callbacks that run later. */
function useLatestValue<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Nothing of the answer is there yet. */
function isWaiting(status: UseChatResult["status"], messages: readonly IMessage[]): boolean {
  return status === "submitted" || (status === "streaming" && messages.at(-1)?.type === "human");
}

/** One message. It is drawn again only when it has changed: an unchanged message is the same object. */
const Message = memo(function Message({ message }: { readonly message: IMessage }) {
  const { type, content, reasoning, isReasoning, isComplete, attachments = [] } = message;
  if (type === "human")
    return (
      <article className="message human" aria-label="You">
        {typeof content === "string" ? content : null}
        {attachments.length > 0 && (
          <ul className="message-files" aria-label={chatTexts.attach.title}>
            {attachments.map(({ filename }, index) => (
              <li key={index}>
                <Icon name="attach" />
                {filename}
              </li>
            ))}
          </ul>
        )}
      </article>
    );
  if (isReasoning === true) return <Thinking text={reasoning} isComplete={isComplete === true} />;
  return (
    <article className="message ai" aria-label={chatTexts.oracle}>
      {reasoning !== undefined && reasoning !== "" && <Thinking text={reasoning} isComplete />}
      {partsOf(content).map((part, index) => (
        <Fragment key={index}>
          {typeof part === "string" ? <MarkdownText text={part} /> : renderMessageContent(withOutcome(part), toolCards)}
        </Fragment>
      ))}
    </article>
  );
});

/** What an oracle sends until its model says what it thinks; many models never do. */
const NO_THOUGHTS = "Thinking...";

/** Nothing to read in it once something follows. */
function isPlaceholder({ isReasoning, reasoning }: IMessage): boolean {
  return isReasoning === true && reasoning === NO_THOUGHTS;
}

type Part = Exclude<MessageContent, readonly unknown[]>;

/** The cards of tool calls first, as they came while the answer was streamed, then its text. */
function partsOf(content: MessageContent): readonly Part[] {
  if (!Array.isArray(content)) return [content];
  return content.toSorted((one, other) => Number(typeof one === "string") - Number(typeof other === "string"));
}

/** A card has one place for what came of its call: the result, or why there is none. */
function withOutcome(part: IComponentMetadata): IComponentMetadata {
  const { output, error } = part.props;
  return output !== undefined || error === undefined ? part : { ...part, props: { ...part.props, output: error } };
}

function Thinking({ text = "", isComplete }: { readonly text?: string | undefined; readonly isComplete: boolean }) {
  const heading = isComplete ? "Thoughts" : "Thinking …";
  if (text === "" || text === NO_THOUGHTS) return isComplete ? null : <p className="muted">{heading}</p>;
  return (
    <details className="thinking muted">
      <summary>{heading}</summary>
      <p>{text}</p>
    </details>
  );
}

interface MarkdownTextProps {
  readonly text: string;
}

/** A text with Markdown. Its parser is loaded with the first such text, which is shown as it was written until then. */
const MarkdownText = lazyPart<MarkdownTextProps>(() => import("./markdown.tsx"), {
  Waiting: ({ text }) => <div className="markdown plain">{text}</div>,
  isOptional: true,
});
