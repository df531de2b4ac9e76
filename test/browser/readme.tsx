/** The examples of sdk/README.md, rendered together as one application. Settings: `sessionId`. */
import { oracleDid, sessionId } from "./readme-surroundings.ts";
import { useChat } from "@twinedge/sdk";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { TableAction } from "readme:Actions";
import { Chat as AiSdkChat } from "readme:AI SDK";
import { Questions } from "readme:Approvals";
import { useTools } from "readme:Browser tools";
import { Messages } from "readme:Cards for tool calls";
import { app as devtools } from "readme:Devtools";
import { Waiting } from "readme:Queue and offline";
import { Providers } from "readme:Server rendering";
import { SignedIn } from "readme:Signing in";
import { Message } from "readme:Streaming";

function Application() {
  const { messages, status, isRealTimeConnected, sendMessage } = useChat({
    oracleDid,
    sessionId,
    onPaymentRequiredError: () => undefined,
  });
  useTools();
  const [sent, setSent] = useState(0);
  useEffect(() => {
    window.say = async (text) => {
      await sendMessage(text);
      setSent((count) => count + 1);
    };
  }, [sendMessage]);
  return (
    <>
      <footer>{`${status} ${isRealTimeConnected} ${sent}`}</footer>
      <main>
        <Messages />
      </main>
      <ol>
        {messages.map(({ id }) => (
          <li key={id}>
            <Message id={id} />
          </li>
        ))}
      </ol>
      <section>
        <Waiting />
      </section>
      <nav>
        <Questions />
      </nav>
      <TableAction />
    </>
  );
}

declare global {
  interface Window {
    say: (text: string) => Promise<void>;
  }
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <>
    <SignedIn>
      <Application />
    </SignedIn>
    <aside>
      <AiSdkChat />
    </aside>
    {devtools}
    <Providers>
      <output>providers</output>
    </Providers>
  </>,
);
