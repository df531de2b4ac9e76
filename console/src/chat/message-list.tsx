/** The messages, oldest first. A reader at the end stays at the end; elsewhere, the text that they read keeps its place. */
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
  /** Shown after the last message: suggestions, failures, the oracle's questions. */
  readonly children?: ReactNode;
}

/** Maximum distance from the end, pixels, at which the reader counts as being at the end. */
const NEAR_THE_END = 60;

export function MessageList({ chat, children }: MessageListProps) {
  const { messages, questions, status, isLoading, hasEarlier, isLoadingEarlier, loadEarlier } = chat;
  const scroller = useRef<HTMLDivElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [openCalls] = useState(() => new Set<string>());
  /** The view follows the end until the reader scrolls up, and again once they return. */
  const atEnd = useRef(true);
  const lastTop = useRef(0);
  /** The first message and the height before earlier messages were inserted above. */
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

  // Elements below may leave less room, and an opened card takes more.
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
        // Scrollable, so it needs keyboard focus too.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const isNear = scrollHeight - scrollTop - clientHeight < NEAR_THE_END;
          // If content below grows, the reader has not scrolled away.
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

/** Scrolls to the end, or to the beginning of a question that is taller than the view. */
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

/** No part of the answer has arrived. */
function isWaiting(status: UseChatResult["status"], messages: readonly IMessage[]): boolean {
  return status === "submitted" || (status === "streaming" && messages.at(-1)?.type === "human");
}

/** One message. It is rendered again only when it has changed: an unchanged message keeps its identity. */
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

/** The placeholder that an oracle sends until its model's thinking arrives; many models never send any. */
const NO_THOUGHTS = "Thinking...";

/** It has no content once something follows. */
function isPlaceholder({ isReasoning, reasoning }: IMessage): boolean {
  return isReasoning === true && reasoning === NO_THOUGHTS;
}

type Part = Exclude<MessageContent, readonly unknown[]>;

/** The cards of tool calls first, in streaming order, then the text. */
function partsOf(content: MessageContent): readonly Part[] {
  if (!Array.isArray(content)) return [content];
  return content.toSorted((one, other) => Number(typeof one === "string") - Number(typeof other === "string"));
}

/** A card has one place for the outcome of its call: the result, or the error. */
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

/** A text with Markdown. Its parser is loaded with the first text that contains Markdown, which is shown as plain text until then. */
const MarkdownText = lazyPart<MarkdownTextProps>(() => import("./markdown.tsx"), {
  Waiting: ({ text }) => <div className="markdown plain">{text}</div>,
  isOptional: true,
});
