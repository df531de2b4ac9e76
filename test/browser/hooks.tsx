/**
 * Every hook in one page, in StrictMode: two views of one chat, messages that count how often they are drawn, an action with a
 * render, browser tools that are registered later, and another user who may sign in. Tests control it with `window.hooks`.
 */
import { memo, StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod";
import {
  OraclesProvider,
  renderMessageContent,
  useAgAction,
  useChat,
  useMessage,
  useModels,
  useOraclesConfig,
  useOraclesContext,
  useOracleSessions,
  type IBrowserTools,
  type IMessage,
  type UIComponents,
  type UseChatResult,
} from "@twinedge/sdk";
import { createDelegation, createInvocation, pageSettings } from "./page-settings.ts";

interface User {
  readonly did: string;
  readonly sessionId: string;
}

const { oracleUrl, oracleDid, userDid, sessionId, otherDid = "", otherSessionId = "", mode } = pageSettings();
const overrides = { baseUrl: oracleUrl };
const users: Record<string, User> = {
  own: { did: userDid, sessionId },
  other: { did: otherDid, sessionId: otherSessionId },
};

/** The interface for the tests. */
const hooks = {
  chat: undefined as UseChatResult | undefined,
  /** How often each message was drawn, by its component and id. */
  drawn: {} as Record<string, number>,
  /** Arguments of the callbacks and handlers, in order. */
  calls: [] as string[],
  /** Every set of messages that was drawn, as texts. */
  seen: [] as string[],
  signedFor: [] as string[],
  switchTo: (_name: string) => {},
  showTools: (_isShown: boolean) => {},
  /** Registers an action manually, or removes it. */
  register: (_isThere: boolean) => {},
  /** Changes the values in the page's closures. */
  setWord: (_word: string) => {},
};
declare global {
  interface Window {
    hooks: typeof hooks;
  }
}
window.hooks = hooks;

const count = (name: string): void => {
  hooks.drawn[name] = (hooks.drawn[name] ?? 0) + 1;
};

const uiComponents: UIComponents = {
  ToolCall: ({ toolName, output }) => <code>{`${toolName}: ${output}`}</code>,
  Error: ({ output }) => <strong>{output}</strong>,
};

/** Drawn again when its message is a new object. */
const MessageByValue = memo(function MessageByValue({ message }: { message: IMessage }) {
  count(`value ${message.id}`);
  return <li data-id={message.id}>{renderMessageContent(message.content, uiComponents)}</li>;
});

/** Drawn again when the chat reports that its message changed. */
const MessageById = memo(function MessageById({ id, sessionId }: { id: string; sessionId: string }) {
  const message = useMessage(id, { oracleDid, sessionId, overrides });
  count(`id ${id}`);
  return <i>{typeof message?.content === "string" ? message.content.length : 0}</i>;
});

function Conversation({ sessionId, word, tools }: { sessionId: string; word: string; tools: IBrowserTools }) {
  const chat = useChat({
    oracleDid,
    sessionId,
    overrides,
    uiComponents: { ...uiComponents },
    browserTools: { ...tools },
    ...(mode === "throttled" && { streamingMode: "throttled" as const }),
    onPaymentRequiredError: (claimIds) => void hooks.calls.push(`${word} has to pay ${JSON.stringify(claimIds)}`),
  });
  useEffect(() => {
    hooks.chat = chat;
  });
  hooks.seen.push(chat.messages.map(({ content }) => (typeof content === "string" ? content : "")).join("|"));
  return (
    <main aria-busy={chat.isLoading}>
      <output>{chat.isRealTimeConnected ? "connected" : "disconnected"}</output>
      <ul>
        {chat.messages.map((message) => (
          <MessageByValue key={message.id} message={message} />
        ))}
      </ul>
      <p>
        {chat.messages.map(({ id }) => (
          <MessageById key={id} id={id} sessionId={sessionId} />
        ))}
      </p>
    </main>
  );
}

/** Another component that uses the chat. */
function StatusLine({ sessionId }: { sessionId: string }) {
  const { status, queue } = useChat({
    oracleDid,
    sessionId,
    overrides,
    onPaymentRequiredError: () => void hooks.calls.push("the wrong component"),
  });
  return <footer>{`${status} ${queue.length}`}</footer>;
}

function Table({ word }: { word: string }) {
  useAgAction({
    name: "show_table",
    description: "Shows rows",
    parameters: z.object({ rows: z.array(z.string()).default(["one"]) }),
    handler: ({ rows }) => {
      hooks.calls.push(`${word} shows ${rows.join()}`);
      return { word, shown: rows.length };
    },
    render: ({ status, args, result }) => (
      <table>
        <caption>{`${word} ${status} ${args?.rows.join()} ${JSON.stringify(result)}`}</caption>
      </table>
    ),
  });
  return null;
}

function Lists() {
  const { sessions, total } = useOracleSessions(oracleDid, overrides);
  const { defaultModelId } = useModels(oracleDid, overrides);
  const { config, isReady } = useOraclesConfig(oracleDid, overrides);
  count("lists");
  return (
    <aside>
      <h1>{`${total} ${sessions.map(({ title }) => title).join()}`}</h1>
      <h2>
        {isReady && config.apiUrl === oracleUrl && config.model === defaultModelId
          ? `${config.model} ${config.price?.outputPerMillion}`
          : "not yet"}
      </h2>
    </aside>
  );
}

/** Uses the context without its actions. */
function Account() {
  const { wallet } = useOraclesContext();
  count("account");
  return <address>{wallet?.did}</address>;
}

function ActionNames() {
  const { agActions, registerAgAction, unregisterAgAction } = useOraclesContext();
  count("action names");
  useEffect(() => {
    const action = { name: "late", description: "", parameters: z.object({}), hasRender: false };
    hooks.register = (isThere) => (isThere ? registerAgAction(action, () => null) : unregisterAgAction(action.name));
  });
  return <nav>{agActions.map(({ name }) => name).join()}</nav>;
}

function App() {
  const [name, setName] = useState("own");
  const [word, setWord] = useState("first");
  const [hasTools, setHasTools] = useState(false);
  useEffect(() => Object.assign(hooks, { switchTo: setName, setWord, showTools: setHasTools }) && undefined, []);
  const user = users[name] ?? { did: "", sessionId: "" };
  const tools: IBrowserTools = hasTools
    ? {
        anyKey: {
          toolName: "page_word",
          description: "The word of the page",
          schema: z.object({ prefix: z.string() }),
          fn: async (args) => ({ word: `${(args as { prefix: string }).prefix} ${word}` }),
        },
      }
    : {};
  const sign = (create: typeof createInvocation) => async (audience: string) => {
    hooks.signedFor.push(user.did);
    return await create(audience, user.did);
  };
  return (
    <OraclesProvider
      initialWallet={{ address: "ixo1", did: user.did, matrix: { accessToken: "", homeServer: "" } }}
      transactSignX={async () => undefined}
      createDelegation={sign(createDelegation)}
      createInvocation={sign(createInvocation)}
      storage={null}
    >
      <Conversation sessionId={user.sessionId} word={word} tools={tools} />
      <StatusLine sessionId={user.sessionId} />
      <Table word={word} />
      <Lists />
      <Account />
      <ActionNames />
    </OraclesProvider>
  );
}

const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
