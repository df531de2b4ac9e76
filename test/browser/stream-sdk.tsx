/** The measured page with this SDK's hooks; with another alias for the package, it uses the established client's. */
import { OraclesProvider, useChat, type IMessage, type StreamingMode } from "@twinedge/sdk";
import { asked, draw, Shape, token } from "./stream-shape.tsx";

const did = "did:key:z6MkBench";
const baseUrl = window.location.origin;
const wallet = { address: "ixo1bench", did, matrix: { accessToken: "token", homeServer: baseUrl } };
const overrides = { baseUrl, wsUrl: baseUrl };

const idOf = ({ id }: IMessage): string => id;
const textOf = ({ content }: IMessage): string => (typeof content === "string" ? content : "");

function Chat() {
  const { messages, sendMessage, status } = useChat({
    oracleDid: did,
    sessionId: "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10",
    onPaymentRequiredError: () => undefined,
    overrides,
    streamingMode: asked("mode") as StreamingMode,
  });
  return (
    <Shape
      messages={messages}
      idOf={idOf}
      textOf={textOf}
      status={String(status)}
      send={() => void sendMessage("go")}
    />
  );
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
