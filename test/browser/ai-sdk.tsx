/** A chat of the AI SDK on an oracle, with the devtools next to it, in a page with strong styles. */
import { useChat } from "@ai-sdk/react";
import { createOracleTransport } from "@twinedge/sdk/ai-sdk";
import { createOracleClient } from "@twinedge/sdk/core";
import { createInspector, OraclesDevtools } from "@twinedge/sdk/devtools";
import type { UIMessage } from "ai";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { createDelegation, createInvocation, pageSettings } from "./page-settings.ts";

const { oracleUrl, oracleDid, userDid, sessionId } = pageSettings();
const inspector = createInspector();
const inspected = inspector.inspect === undefined ? {} : { inspect: inspector.inspect };
const client = createOracleClient({
  oracleDid,
  userDid,
  endpoints: { apiUrl: oracleUrl },
  createDelegation,
  createInvocation,
  ...inspected,
});
const transport = createOracleTransport({ client, ...inspected });

function Conversation({ stored }: { readonly stored: UIMessage[] }) {
  const { messages, sendMessage, stop, status, error } = useChat({
    id: sessionId,
    transport,
    messages: stored,
    resume: true,
  });
  const [text, setText] = useState("");
  return (
    <main>
      <h1>Chat</h1>
      <p role="status">{status}</p>
      <p role="alert">{error?.message}</p>
      <ol>
        {messages.map((message) => (
          <li key={message.id} data-role={message.role} data-id={message.id}>
            {message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}
          </li>
        ))}
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setText("");
          void sendMessage({ text });
        }}
      >
        <label>
          Message <input value={text} onChange={({ target }) => setText(target.value)} />
        </label>
        <button type="submit">Send</button>
        <button type="button" onClick={() => void stop()}>
          Stop
        </button>
      </form>
      <OraclesDevtools inspector={inspector} />
    </main>
  );
}

const root = document.querySelector("#root");
if (root !== null) {
  const style = document.createElement("style");
  style.textContent =
    "button, li, select { color: rgb(255, 0, 0); background: rgb(255, 200, 200); border-radius: 30px }";
  document.head.append(style);
  const stored = await transport.loadMessages(sessionId);
  createRoot(root).render(
    <StrictMode>
      <Conversation stored={stored} />
    </StrictMode>,
  );
}
