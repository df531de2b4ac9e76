/** One key: what it is and may do, and how it is rotated or revoked. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiHooks, api, credentials } from "../../api/api.ts";
import { BackLink } from "../../kit/back-link.tsx";
import { Age } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { useNextAddress } from "../../kit/use-next-address.ts";
import { endSession } from "../../session/sign-out.ts";
import { useCaller } from "../../session/use-caller.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useCredentials } from "../../session/use-credentials.ts";
import { keysTexts } from "../../texts/keys.ts";
import { shellTexts } from "../../texts/shell.ts";
import { SecretDialog } from "../secret-dialog.tsx";
import { keyState } from "../../session/key-state.ts";
import { canRotate, type ApiKey } from "./api-key.ts";
import { KeyFacts } from "./key-facts.tsx";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";
import { ScopeList } from "./scope-list.tsx";
import { REFRESH } from "../refresh.ts";

export function KeyPage({ keyId }: { readonly keyId: string }) {
  const { operatorToken } = useCredentials();
  const query = apiHooks.useQuery(
    "get",
    "/v1/api-keys/{keyId}",
    { params: { path: { keyId } } },
    { enabled: operatorToken !== undefined, refetchInterval: REFRESH },
  );
  const key = query.data;
  return (
    <>
      <ScreenHeader
        title={key?.label ?? shellTexts.screens.keys}
        trail={<BackLink href="/keys">{keysTexts.backToKeys}</BackLink>}
        actions={key !== undefined && <RotateKey apiKey={key} />}
      />
      <NeedsKey needs="operatorToken" why={keysTexts.whyOperator}>
        <Loaded query={query}>
          {(shown) => (
            <div className="stack loose">
              <div className="columns">
                <section className="card">
                  <KeyFacts apiKey={shown} />
                  {keyState(shown, Date.now()) === "replaced" && <p className="hint">{keysTexts.hasSuccessor}</p>}
                </section>
                <section className="card" aria-labelledby="may-do">
                  <h2 id="may-do">{keysTexts.mayDo}</h2>
                  <ScopeList held={shown.scopes} />
                </section>
              </div>
              <RevokeKey apiKey={shown} />
            </div>
          )}
        </Loaded>
      </NeedsKey>
    </>
  );
}

function RotateKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const [isAsked, setIsAsked] = useState(false);
  const [issued, setIssued] = useState<{ readonly id: string; readonly key: string }>();
  const successor = useNextAddress({ replace: false });
  const stored = (): void => {
    if (issued !== undefined) successor(`/keys/${issued.id}`);
    setIssued(undefined);
  };
  return (
    <>
      {canRotate(apiKey, Date.now()) && (
        <button type="button" onClick={() => setIsAsked(true)}>
          {keysTexts.rotate}
        </button>
      )}
      {isAsked && <RotateKeyDialog apiKey={apiKey} onIssued={setIssued} onClose={() => setIsAsked(false)} />}
      {issued !== undefined && <SecretDialog kind="key" secret={issued.key} onStored={stored} />}
    </>
  );
}

function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const [isAsked, setIsAsked] = useState(false);
  const { id, label, lastUsedAt } = apiKey;
  const queries = useQueryClient();
  const announce = useAnnounce();
  const isOwn = useCaller().data?.id === id;
  const revoke = async (): Promise<void> => {
    await api.DELETE("/v1/api-keys/{keyId}", { params: { path: { keyId: id } } });
    // What the key has read goes with it; the operator's token stays.
    if (isOwn) endSession({ ...credentials.read(), apiKey: "" });
    else await queries.invalidateQueries();
    announce(keysTexts.wasRevoked(label));
  };
  return (
    <div>
      {keyState(apiKey, Date.now()) !== "revoked" && (
        <button type="button" onClick={() => setIsAsked(true)}>
          {keysTexts.revoke}
        </button>
      )}
      {isAsked && (
        <ConfirmDialog
          title={keysTexts.revokeTitle(label)}
          effect={
            <div className="stack tight">
              <p>{keysTexts.revokeEffect}</p>
              <p>
                {lastUsedAt === null ? (
                  keysTexts.revokeUnused
                ) : (
                  <>
                    {keysTexts.revokeUsed} <Age at={lastUsedAt} />.
                  </>
                )}
              </p>
              {isOwn && <p>{keysTexts.revokeOwn}</p>}
            </div>
          }
          action={keysTexts.revokeAction}
          onConfirm={revoke}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
}
