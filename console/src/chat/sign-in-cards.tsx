/** Sign-ins at other services that tools wait for. Once somebody has signed in, the question is asked again from here. */
import type { UseChatResult } from "@twinedge/sdk";
import { Icon } from "../kit/icon.tsx";
import { chatTexts } from "../texts/chat.ts";
import { useSignIns } from "./sign-ins.ts";
import { waitingServers } from "./waiting-servers.ts";

export interface SignInCardsProps {
  readonly chat: Pick<UseChatResult, "signIns" | "messages">;
  readonly onSay: (text: string) => void;
}

export function SignInCards({ chat: { messages, signIns }, onSay }: SignInCardsProps) {
  const servers = waitingServers(messages, signIns);
  const { data } = useSignIns(servers.length > 0);
  return servers.map((server) => {
    const known = data?.servers.find(({ name }) => name === server);
    const url = known?.url ?? signIns.find((signIn) => signIn.server === server)?.url;
    if (known?.signedIn === true) return <SignedIn key={server} server={server} messages={messages} onSay={onSay} />;
    return url === undefined ? null : <SignIn key={server} server={server} url={url} />;
  });
}

function SignIn({ server, url }: { readonly server: string; readonly url: string }) {
  const words = chatTexts.question;
  return (
    <section className="notice" aria-label={words.signIn(server)}>
      <Icon name="keys" />
      <div className="stack tight">
        <p>{words.signInLead(server)}</p>
        <p>
          <a className="button primary" href={url} target="_blank" rel="noreferrer noopener">
            {words.signIn(server)} <Icon name="external" />
          </a>
        </p>
      </div>
    </section>
  );
}

function SignedIn({
  server,
  messages,
  onSay,
}: Pick<SignInCardsProps, "onSay"> & Pick<UseChatResult, "messages"> & { readonly server: string }) {
  const words = chatTexts.question;
  const asked = messages.findLast(({ type }) => type === "human")?.content;
  return (
    <section className="notice ok" aria-label={words.signedIn(server)}>
      <Icon name="check" />
      <div className="stack tight">
        <p>{words.signedIn(server)}</p>
        {typeof asked === "string" && (
          <p>
            <button type="button" className="primary" onClick={() => onSay(asked)}>
              {words.askAgain}
            </button>
          </p>
        )}
      </div>
    </section>
  );
}
