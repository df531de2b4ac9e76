/**
 * A conversation as an application renders it: rows that are drawn again only when their message changed, a composer, a browser
 * tool and an action. Settings: `sessionId`; `streamingMode`; `strict` for React's StrictMode; `pageSize` of the history.
 */
import { memo, StrictMode, useEffect, useMemo, useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod";
import { OraclesProvider, useAgAction, useChat, type IMessage, type StreamingMode } from "@twinedge/sdk";
import type { ConversationControl, ShownMessage } from "./conversation-control.ts";
import { createDelegation, createInvocation, pageSettings } from "./page-settings.ts";

const settings = pageSettings();

const control: ConversationControl = {
  state: {
    messages: [],
    status: undefined,
    ended: null,
    queue: [],
    isLoading: true,
    isLoadingEarlier: false,
    hasEarlier: false,
    isConnected: false,
    error: undefined,
  },
  send: notYet,
  abort: notYet,
  cancelQueued: notYet,
  loadEarlier: notYet,
  show: notYet,
  drawn: [],
  rows: {},
  handled: [],
  refusals: [],
};
globalThis.conversation = control;

function notYet(): never {
  throw new Error("the conversation has not been drawn yet");
}

function textOf({ content }: IMessage): string {
  return typeof content === "string" ? content : "";
}

const browserTools = {
  note: {
    toolName: "note",
    description: "Notes a text in the page.",
    schema: z.object({ text: z.string() }),
    async fn({ text }: { text: string }) {
      control.handled.push(text);
      return { noted: text };
    },
  },
};

const markParameters = z.object({ place: z.string() });

const Row = memo(function Row({ message }: { message: IMessage }) {
  useEffect(() => {
    control.rows[message.id] = (control.rows[message.id] ?? 0) + 1;
  });
  return (
    <li data-id={message.id} data-type={message.type}>
      {textOf(message)}
    </li>
  );
});

/** Separate from the list, as in applications: a key press here draws nothing else. */
function Composer({ onSend }: { onSend: (message: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text);
        setText("");
      }}
    >
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
    </form>
  );
}

function Conversation({ sessionId }: { sessionId: string }) {
  const chat = useChat({
    oracleDid: settings.oracleDid,
    sessionId,
    overrides: { baseUrl: settings.oracleUrl },
    onPaymentRequiredError: () => undefined,
    streamingMode: (settings["streamingMode"] ?? "batched") as StreamingMode,
    historyPageSize: Number(settings["pageSize"] ?? "20"),
    browserTools,
  });
  useAgAction({
    name: "mark",
    description: "Marks a place in the page.",
    parameters: markParameters,
    handler({ place }) {
      control.handled.push(place);
      return { success: true };
    },
  });
  const { messages, status, run, queue, isLoading, isLoadingEarlier, hasEarlier, isRealTimeConnected, error } = chat;

  function send(message: string): void {
    chat.sendMessage(message).catch((refusal: unknown) => control.refusals.push(String(refusal)));
  }

  useEffect(() => {
    control.drawn.push(performance.now());
    const shown = (message: IMessage): ShownMessage => ({ id: message.id, type: message.type, text: textOf(message) });
    control.state = {
      get messages() {
        return messages.map(shown);
      },
      status,
      ended: run.ended,
      queue: queue.map((queued) => ({ id: queued.id, message: queued.message, state: queued.state })),
      isLoading,
      isLoadingEarlier,
      hasEarlier,
      isConnected: isRealTimeConnected,
      error: error?.message,
    };
    control.send = send;
    control.abort = chat.abortStream;
    control.cancelQueued = chat.cancelQueued;
    control.loadEarlier = chat.loadEarlier;
  });

  // An unchanged element is not drawn again, so a new status or queue does not redraw the list.
  const list = useMemo(
    () => (
      <ol>
        {messages.map((message) => (
          <Row key={message.id} message={message} />
        ))}
      </ol>
    ),
    [messages],
  );
  return (
    <main>
      {list}
      <p role="status">{status}</p>
      <Composer onSend={send} />
    </main>
  );
}

function App() {
  const [sessionId, setSessionId] = useState(settings.sessionId);
  useEffect(() => {
    control.show = setSessionId;
  }, []);
  return (
    <OraclesProvider
      initialWallet={{ address: "", did: settings.userDid, matrix: { accessToken: "", homeServer: "" } }}
      transactSignX={async () => undefined}
      createDelegation={createDelegation}
      createInvocation={createInvocation}
    >
      <Conversation sessionId={sessionId} />
    </OraclesProvider>
  );
}

function wrapped(page: ReactNode): ReactNode {
  return settings["strict"] === "true" ? <StrictMode>{page}</StrictMode> : page;
}

const root = document.querySelector("#root");
if (root !== null) createRoot(root).render(wrapped(<App />));
