/**
 * Failures in a page that uses the hooks: no network, a tool with a wrong name, a full storage. Tests control it with
 * `window.recovery`. Settings: `sessionId`.
 */
import { memo, StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod";
import {
  OraclesProvider,
  renderMessageContent,
  useAgAction,
  useChat,
  useOracleSessions,
  type IMessage,
  type UseChatResult,
  type UseOracleSessionsResult,
} from "@twinedge/sdk";
import { createOracleClient, createSigner, type QueueStore } from "@twinedge/sdk/core";
import { createQueueStore } from "../../sdk/src/core/chat/queue-store.ts";
import { createDelegation, createInvocation, pageSettings } from "./page-settings.ts";

const { oracleUrl, oracleDid, userDid, sessionId } = pageSettings();
const overrides = { baseUrl: oracleUrl };

const recovery = {
  chat: undefined as UseChatResult | undefined,
  sessions: undefined as UseOracleSessionsResult | undefined,
  /** How often the card of the action was drawn. */
  cards: 0,
  setToolName: (_name: string) => {},
  /** The user of `createSigner`, once signed in at the oracle. */
  async signedIn(): Promise<string> {
    const signer = await createSigner();
    const client = createOracleClient({ ...signer, userDid: signer.did, oracleDid, endpoints: { apiUrl: oracleUrl } });
    await client.sessions.list();
    client.dispose();
    return signer.did;
  },
  openStore: (): QueueStore => createQueueStore(),
};
declare global {
  interface Window {
    recovery: typeof recovery;
  }
}
window.recovery = recovery;

const parameters = z.object({ rows: z.array(z.string()) });

function Card({ rows }: { rows: readonly string[] | undefined }) {
  recovery.cards += 1;
  return <table>{<caption>{rows?.join()}</caption>}</table>;
}
const renderCard = ({ args }: { args?: z.infer<typeof parameters> }) => <Card rows={args?.rows} />;

const Row = memo(function Row({ message }: { message: IMessage }) {
  return <div>{renderMessageContent(message.content)}</div>;
});

function Conversation({ toolName }: { toolName: string }) {
  const chat = useChat({
    oracleDid,
    sessionId,
    overrides,
    browserTools: {
      word: { toolName, description: "A word of the page", schema: z.object({}), fn: async () => ({ word: "page" }) },
    },
    onPaymentRequiredError: () => undefined,
  });
  // In the component that is drawn again for each piece of a reply.
  useAgAction({
    name: "show_table",
    description: "Shows rows",
    parameters: z.object({ rows: z.array(z.string()) }),
    handler: ({ rows }) => ({ shown: rows.length }),
    render: renderCard,
  });
  useEffect(() => {
    recovery.chat = chat;
  });
  return (
    <main>
      <p role="status">{`${chat.status} ${chat.isRealTimeConnected ? "connected" : "disconnected"}`}</p>
      <p role="alert">{chat.error?.message}</p>
      {chat.messages.map((message) => (
        <Row key={message.id} message={message} />
      ))}
    </main>
  );
}

function Sessions() {
  const sessions = useOracleSessions(oracleDid, overrides);
  useEffect(() => {
    recovery.sessions = sessions;
  });
  return <aside>{`${sessions.total} ${sessions.error?.name ?? "fine"}`}</aside>;
}

function App() {
  const [toolName, setToolName] = useState("page_word");
  useEffect(() => {
    recovery.setToolName = setToolName;
  }, []);
  return (
    <OraclesProvider
      initialWallet={{ address: "ixo1", did: userDid, matrix: { accessToken: "", homeServer: "" } }}
      transactSignX={async () => undefined}
      createDelegation={createDelegation}
      createInvocation={createInvocation}
      storage={null}
    >
      <Sessions />
      {sessionId !== "" && <Conversation toolName={toolName} />}
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
