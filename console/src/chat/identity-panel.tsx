/** Who the user is in the chat, how well the key is kept, and how to forget it. */
import { useState } from "react";
import { useLocation } from "wouter";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { chatTexts } from "../texts/chat.ts";
import { chatHref } from "./chat-address.ts";
import { useChatParts } from "./chat-context.ts";
import { forgetIdentity } from "./identity.ts";
import { deleteEverything } from "./delete-everything.ts";
import { Services } from "./services.tsx";
import { useOracleRequest } from "./use-oracle.ts";

const words = chatTexts.identity;

export function IdentityPanel() {
  const { identity, onForgotten } = useChatParts();
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const [isAsking, setIsAsking] = useState(false);
  const [deletesFirst, setDeletesFirst] = useState(true);
  const request = useOracleRequest();
  const forget = async (): Promise<void> => {
    if (deletesFirst) await deleteEverything(request);
    await forgetIdentity(identity);
    navigate(chatHref({ sessionId: "", panel: "identity" }), { replace: true });
    await onForgotten();
    announce(words.forgotten);
  };
  return (
    <div className="stack">
      <p className="muted">{words.lead}</p>
      <dl className="stack">
        <div>
          <dt className="muted">{words.did}</dt>
          <dd>
            <code className="chat-did">{identity.signer.did}</code> <CopyButton text={identity.signer.did} />
          </dd>
        </div>
        <div>
          <dt className="muted">{words.protection}</dt>
          <dd>
            {words[identity.protection]} {words.noMove}
          </dd>
        </div>
      </dl>
      <p>
        <button type="button" onClick={() => setIsAsking(true)}>
          {words.forget}
        </button>
      </p>
      <Services />
      {isAsking && (
        <ConfirmDialog
          title={words.forgetTitle}
          effect={
            <div className="stack">
              <p>{words.forgetEffect}</p>
              <label className="row top">
                <input
                  type="checkbox"
                  checked={deletesFirst}
                  onChange={(event) => setDeletesFirst(event.target.checked)}
                />
                {words.deleteFirst}
              </label>
            </div>
          }
          action={words.forget}
          onConfirm={forget}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}
