/** Calls an oracle, contracts it and enables a memory engine; the test calls the hooks' functions through `window.hooks`. */
import { StrictMode, useLayoutEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  OraclesProvider,
  useContractOracle,
  useGetOpenIdToken,
  useMemoryEngine,
  type TransactionMessage,
} from "@twinedge/sdk";
import { useLiveAgent, type CallMatrixClient } from "@twinedge/sdk/live-agent";
import { createMediaServer } from "./media-server.ts";
import { createDelegation, createInvocation, pageSettings } from "./page-settings.ts";

const {
  oracleUrl,
  oracleDid,
  userDid,
  address = "",
  accessToken = "",
  homeServer = "",
  services = "{}",
} = pageSettings();
const { homeServerUrl, ...others } = JSON.parse(services) as Record<string, string>;
const network = { ...others, ...(homeServerUrl !== undefined && { homeServerUrl }) };
const wallet = { address, did: userDid, matrix: { accessToken, homeServer } };
const oracle = { baseUrl: oracleUrl, createE2eeWorker: () => new Worker("/e2ee-worker.js") };
const params = { oracleDid, userClaimCollectionId: "138", adminAddress: "ixo1admin", claimId: "claim-1" };

/** The parts of a Matrix client that a call needs. */
const matrixClient: CallMatrixClient = {
  async sendEvent(roomId, type, content) {
    const path = `rooms/${encodeURIComponent(roomId)}/send/${String(type)}/${crypto.randomUUID()}`;
    const response = await fetch(`${homeServerUrl}/_matrix/client/v3/${path}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify(content),
    });
    return (await response.json()) as { event_id: string };
  },
};

/** The interface for the test. */
interface Handle {
  readonly hooks: Record<string, unknown>;
  readonly toasts: unknown[];
  readonly signed: { readonly typeUrls: readonly string[]; readonly memo: string | undefined }[];
  /** Everything that the page has stored, as one text. */
  stored(): string;
  readonly media: ReturnType<typeof createMediaServer>;
  show(shown: boolean): void;
}
const handle = Object.assign(window as unknown as Handle, {
  hooks: {},
  toasts: [],
  signed: [],
  stored: () => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  media: createMediaServer(),
});

async function transactSignX(messages: readonly TransactionMessage[], memo?: string): Promise<undefined> {
  handle.signed.push({ typeUrls: messages.map(({ typeUrl }) => typeUrl), memo });
}

function Hooks() {
  const token = useGetOpenIdToken();
  const call = useLiveAgent(oracleDid, matrixClient, token.openIdToken, (toast) => handle.toasts.push(toast), oracle);
  const memory = useMemoryEngine(oracleDid);
  const contract = useContractOracle({ params });
  useLayoutEffect(() => {
    Object.assign(handle.hooks, { token, call, memory, contract });
  });
  const { sessionStarted, isConnecting, sessionViewVisible, isCalling, room } = call;
  const states = { sessionStarted, isConnecting, sessionViewVisible, isCalling, room: room.state };
  return <pre role="status">{JSON.stringify(states)}</pre>;
}

function Page() {
  const [shown, setShown] = useState(true);
  useLayoutEffect(() => {
    Object.assign(handle, { show: setShown });
  }, []);
  return shown ? <Hooks /> : <p role="status">gone</p>;
}

const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <OraclesProvider
        initialWallet={wallet}
        transactSignX={transactSignX}
        createDelegation={createDelegation}
        createInvocation={createInvocation}
        network={network}
      >
        <Page />
      </OraclesProvider>
    </StrictMode>,
  );
}
