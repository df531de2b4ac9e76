/** The measured page with the AI SDK's hook and an oracle. */
import { useChat } from "@ai-sdk/react";
import { createOracleTransport } from "@twinedge/sdk/ai-sdk";
import type { UIMessage } from "ai";
import { asked, draw, Shape, token } from "./stream-shape.tsx";

const did = "did:key:z6MkBench";
const id = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
const transport = createOracleTransport({
  oracleDid: did,
  userDid: did,
  baseUrl: window.location.origin,
  createDelegation: token,
  createInvocation: token,
});
const idOf = (message: UIMessage): string => message.id;
const textOf = ({ parts }: UIMessage): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const throttled = asked("mode") === "throttled" ? { throttle: 50 } : {};

function Chat({ stored }: { readonly stored: UIMessage[] }) {
  const { messages, sendMessage, status } = useChat({ id, transport, messages: stored, ...throttled });
  return (
    <Shape
      messages={messages}
      idOf={idOf}
      textOf={textOf}
      status={status}
      send={() => void sendMessage({ text: "go" })}
    />
  );
}

draw(<Chat stored={await transport.loadMessages(id)} />);
