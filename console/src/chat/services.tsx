/** Other services that the oracle may use in the user's name: the user's sign-ins, and how to sign out. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { Badge } from "../kit/badge.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import { type SignIn, useHasSignIns, useSignIns } from "./sign-ins.ts";
import { useOracleRequest } from "./use-oracle.ts";

const words = chatTexts.identity;

/** Empty if this host's oracle uses none. */
export function Services() {
  const hasSignIns = useHasSignIns();
  const query = useSignIns(hasSignIns);
  const request = useOracleRequest();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [leaving, setLeaving] = useState<string>();
  if (!hasSignIns) return null;
  const signOut = async (server: string): Promise<void> => {
    await request(`/mcp/oauth/${encodeURIComponent(server)}`, "DELETE");
    announce(words.hasSignedOut(server));
    await queries.invalidateQueries({ queryKey: ["chat"] });
  };
  return (
    <section className="stack" aria-label={words.services}>
      <h2>{words.services}</h2>
      <p className="muted">{words.servicesLead}</p>
      <Loaded query={query}>
        {({ servers }) => (
          <ul className="chat-facts">
            {servers.map((server) => (
              <Service key={server.name} server={server} onLeave={() => setLeaving(server.name)} />
            ))}
          </ul>
        )}
      </Loaded>
      {leaving !== undefined && (
        <ConfirmDialog
          title={words.signOut(leaving)}
          effect={words.signOutEffect(leaving)}
          action={words.signOut(leaving)}
          onConfirm={() => signOut(leaving)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </section>
  );
}

function Service({
  server: { name, signedIn, issuer, url },
  onLeave,
}: {
  readonly server: SignIn;
  readonly onLeave: () => void;
}) {
  return (
    <li className="stack tight">
      <p className="row wrap spread">
        <strong>{name}</strong>
        <Badge tone={signedIn ? "ok" : "neutral"}>{signedIn ? words.signedIn : words.signedOut}</Badge>
      </p>
      {issuer !== undefined && <p className="muted small">{words.by(issuer)}</p>}
      {signedIn ? (
        <p>
          <button type="button" onClick={onLeave}>
            {words.signOut(name)}
          </button>
        </p>
      ) : (
        url !== undefined && (
          <p>
            <a className="button" href={url} target="_blank" rel="noreferrer noopener">
              {chatTexts.question.signIn(name)} <Icon name="external" />
            </a>
          </p>
        )
      )}
    </li>
  );
}
