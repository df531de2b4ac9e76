/** One conversation: its messages, waiting questions, and the field for the next message. */
import { useQueryClient } from "@tanstack/react-query";
import {
  type Attachment,
  type ChatRunState,
  type QueuedMessage,
  type UseChatResult,
  useChat,
  useModels,
} from "@twinedge/sdk";
import { type DragEvent, type HTMLAttributes, useCallback, useEffect, useRef } from "react";
import { rememberAct } from "../api/own-acts.ts";
import { Badge, type Tone } from "../kit/badge.tsx";
import { Icon } from "../kit/icon.tsx";
import { lazyPart } from "../kit/lazy-part.tsx";
import { useIsOnline } from "../kit/use-is-online.ts";
import { chatTexts } from "../texts/chat.ts";
import { kitTexts } from "../texts/kit.ts";
import type { AttachedFile } from "./attached-files.ts";
import type { ChatPlace } from "./chat-address.ts";
import { ownOracle, useChatParts } from "./chat-context.ts";
import { Composer } from "./composer.tsx";
import { failureFacts, isUnreached } from "./failure-facts.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { MessageList } from "./message-list.tsx";
import { Questions } from "./questions.tsx";
import { type AboutDomain, suggestionsFor } from "./suggested.ts";
import { toolCards } from "./tool-cards.tsx";
import { type Attachments, attachedFiles, forgetPreviews, useAttachments } from "./use-attachments.ts";
import { usePlugins } from "./use-oracle.ts";

const AttachedList = lazyPart(() => import("./attached-list.tsx"), { Waiting: () => null });

/** Milliseconds between two renders of an answer: twelve per second look continuous, and leave time on slow phones. */
const DRAWN_EVERY = 80;

export interface ConversationProps {
  readonly place: ChatPlace;
  readonly about: AboutDomain | undefined;
  /** Grows when a panel has sent a message, which `takeFirst` then returns. */
  readonly spokenAt: number;
  /** A message from before the session existed, or from a panel; sent once. */
  readonly takeFirst: (sessionId: string) => FirstMessage | undefined;
  /** Where the draft is stored. */
  readonly draftPlace: string;
  /** Without a session: creates one and sends the message there. */
  readonly onFirst: (message: FirstMessage) => void;
}

export interface FirstMessage {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

function attachmentsOf(files: readonly AttachedFile[]): Attachment[] {
  return files.flatMap(({ name, type, size, state }) =>
    state.kind === "ready" ? [{ mxcUri: state.mxcUri, filename: name, mimetype: type, size }] : [],
  );
}

export function Conversation({ place, about, spokenAt, takeFirst, draftPlace, onFirst }: ConversationProps) {
  const { sessionId, model = "" } = place;
  const { oracleDid } = useChatParts();
  const chat = useChat({
    oracleDid,
    sessionId,
    overrides: ownOracle,
    uiComponents: toolCards,
    streamingMode: "throttled",
    streamingThrottleMs: DRAWN_EVERY,
    // The message stays in the queue, which shows what to do.
    onPaymentRequiredError: () => undefined,
    ...(model !== "" && { model }),
  });
  const { status, run, messages, queue, error, sendMessage } = chat;
  const isBusy = status === "submitted" || status === "streaming";
  useAfterTurn(status);

  // The queue and `error` show a refused message.
  const say = (text: string, files: readonly AttachedFile[] = []): void => {
    rememberAct("ask");
    if (sessionId === "") return onFirst({ text, files });
    forgetPreviews(files);
    void sendMessage(text, undefined, attachmentsOf(files)).catch(() => undefined);
  };
  const attachments = useAttachments(draftPlace);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const first = takeFirst(sessionId);
    if (first === undefined) return;
    forgetPreviews(first.files);
    void sendMessage(first.text, undefined, attachmentsOf(first.files)).catch(() => undefined);
    // The message was typed on the page "New conversation", which no longer exists.
    const input = field.current;
    if (input === null || document.activeElement !== document.body) return;
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }, [sessionId, spokenAt, takeFirst, sendMessage]);

  const isOnline = useIsOnline();
  const isWithoutNetwork = (thrown: unknown): boolean => !isOnline && isUnreached(thrown);
  const toField = useCallback(() => field.current?.focus(), []);
  const isShownElsewhere = queue.some(({ error: refused }) => refused !== undefined && refused === error);
  const isEmpty = messages.length === 0 && queue.length === 0 && !chat.isLoading && !isBusy && error === null;
  return (
    <section className="chat-conversation" aria-label={chatTexts.title} {...dropOf(attachments)}>
      <MessageList chat={chat}>
        {isEmpty && <Suggestions about={about} onTry={(text) => say(text)} />}
        <Unfinished chat={chat} onSendAgain={(text) => say(text)} />
        <Questions chat={chat} sessionId={sessionId} onSay={(text) => say(text)} onLeft={toField} />
      </MessageList>
      <div className="chat-below">
        {error !== null && error.name !== "TurnError" && !isShownElsewhere && !isWithoutNetwork(error) && (
          <FailureNotice facts={failureFacts(error)} place={place}>
            <button type="button" onClick={() => void chat.refetchMessages()}>
              {kitTexts.retry}
            </button>
          </FailureNotice>
        )}
        <QueueList queue={queue} place={place} onCancel={chat.cancelQueued} onResume={chat.resumeQueue} />
        <p className="chat-foot">
          <BuiltInNote model={model} />
          {sessionId !== "" && <ConnectionState isConnected={chat.isRealTimeConnected} run={run} />}
        </p>
        {attachments !== undefined && attachments.files.length > 0 && (
          <AttachedList files={attachments.files} onRemove={attachments.remove} />
        )}
        <Composer
          attachments={attachments}
          field={field}
          isBusy={isBusy}
          draftPlace={draftPlace}
          suggested={about === undefined ? "" : chatTexts.aboutDomain(about)}
          onSend={(text) => say(text, attachedFiles.takeReady(draftPlace))}
          onStop={() => void chat.abortStream()}
        />
      </div>
    </section>
  );
}

/** Files dropped anywhere on the conversation are attached to the next message. */
function dropOf(attachments: Attachments | undefined): Pick<HTMLAttributes<HTMLElement>, "onDragOver" | "onDrop"> {
  if (attachments === undefined) return {};
  const takesFiles = ({ dataTransfer }: DragEvent<HTMLElement>): boolean => dataTransfer.types.includes("Files");
  return {
    onDragOver(event) {
      if (takesFiles(event)) event.preventDefault();
    },
    onDrop(event) {
      if (!takesFiles(event)) return;
      event.preventDefault();
      attachments.add(event.dataTransfer.files);
    },
  };
}

/** An unfinished answer, or a message without one: shows the reason, and offers to send the message again. */
function Unfinished({
  chat,
  onSendAgain,
}: {
  readonly chat: UseChatResult;
  readonly onSendAgain: (text: string) => void;
}) {
  const { messages, status, run, queue, isLoading } = chat;
  const last = messages.findLast(({ type }) => type === "human");
  const isIdle = status === "ready" || status === "error";
  if (!isIdle || isLoading || queue.length > 0 || typeof last?.content !== "string") return null;
  const text = last.content;
  const isUnanswered = messages.at(-1) === last;
  const isBroken = run.ended === "failed" || run.ended === "interrupted" || run.ended === "aborted";
  if (!isBroken && !isUnanswered) return null;
  const said =
    run.ended === "aborted"
      ? chatTexts.stopped
      : isBroken
        ? "This answer did not finish."
        : "This message has no answer.";
  return (
    <p className="row wrap muted">
      {said}
      <button type="button" className="small" onClick={() => onSendAgain(text)}>
        <Icon name="refresh" />
        {chatTexts.sendAgain}
      </button>
    </p>
  );
}

/** A turn may have changed preferences, memory and credits, so they are loaded again. */
function useAfterTurn(status: UseChatResult["status"]): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (status === "ready") void queries.invalidateQueries({ queryKey: ["chat"] });
  }, [status, queries]);
}

const BUILT_IN = "local";

/** Labels the built-in model while it is selected. `GET /models` gives it the family `local`. */
function BuiltInNote({ model }: { readonly model: string }) {
  const { oracleDid } = useChatParts();
  const { models, defaultModelId } = useModels(oracleDid, ownOracle);
  const chosen = models.find(({ id }) => id === (model === "" ? defaultModelId : model));
  // Other oracles have families that the type does not list.
  const family: string | undefined = chosen?.family;
  if (family !== BUILT_IN) return null;
  const { before, variable, after } = chatTexts.builtIn;
  return (
    <span className="muted small">
      {before}
      <code>{variable}</code>
      {after}
    </span>
  );
}

interface SuggestionsProps {
  readonly about: AboutDomain | undefined;
  readonly onTry: (message: string) => void;
}

/** Suggestions for an empty conversation: first about the domain that the user came from, by its name and its state. */
function Suggestions({ about, onTry }: SuggestionsProps) {
  const { data: plugins = [] } = usePlugins();
  return (
    <section className="chat-suggestions" aria-label="Suggestions">
      <h2>What would you like to know?</h2>
      <p className="muted">Ask in your own words. The chat shows each tool that the oracle uses and its result.</p>
      <ul>
        {suggestionsFor(about, plugins).map(([label, message]) => (
          <li key={label}>
            <button type="button" onClick={() => onTry(message)}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ConnectionStateProps {
  readonly isConnected: boolean;
  readonly run: ChatRunState;
}

/** The problem of the connection, in words, and whether an answer is being resumed. A working connection shows nothing. */
function ConnectionState({ isConnected, run }: ConnectionStateProps) {
  const isOnline = useIsOnline();
  // The page's notice already explains it.
  const state = isOnline ? stateOf(isConnected, run) : undefined;
  return <span role="status">{state !== undefined && <Badge tone={state[0]}>{state[1]}</Badge>}</span>;
}

function stateOf(isConnected: boolean, run: ChatRunState): readonly [tone: Tone, text: string] | undefined {
  const words = chatTexts.connection;
  if (run.reconnecting) return ["warn", words.reconnecting];
  if (run.ended === "disconnected") return ["warn", words.disconnected];
  return isConnected ? undefined : ["neutral", words.connecting];
}

interface QueueListProps {
  readonly queue: readonly QueuedMessage[];
  readonly place: ChatPlace;
  readonly onCancel: (id: string) => void;
  readonly onResume: (id: string) => void;
}

/** Messages that wait for their turn, the network, or the user, with an action for each. */
function QueueList({ queue, place, onCancel, onResume }: QueueListProps) {
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
