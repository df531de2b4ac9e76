/** The measured page on this SDK's hooks, and, by another name of the same package, on the established client's. */
import { OraclesProvider, useChat, type StreamingMode } from "@twinedge/sdk";
import { asked, draw, Shape, token } from "./stream-shape.tsx";

const did = "did:key:z6MkBench";
const baseUrl = window.location.origin;
const wallet = { address: "ixo1bench", did, matrix: { accessToken: "token", homeServer: baseUrl } };
const overrides = { baseUrl, wsUrl: baseUrl };

function Chat() {
  const { messages, sendMessage, status } = useChat({
    oracleDid: did,
    sessionId: "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10",
    onPaymentRequiredError: () => undefined,
    overrides,
    streamingMode: asked("mode") as StreamingMode,
  });
  const shown = messages.map(({ id, content }) => ({
    id: String(id),
    text: typeof content === "string" ? content : "",
  }));
  return <Shape messages={shown} status={String(status)} send={() => void sendMessage("go")} />;
}

draw(
  <OraclesProvider
    initialWallet={wallet}
    transactSignX={async () => undefined}
    createDelegation={token}
    createInvocation={token}
  >
    <Chat />
  </OraclesProvider>,
);
