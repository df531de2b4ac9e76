/** One key: its facts and scopes, and how to rotate or revoke it. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, apiHooks, credentials } from "../../api/api.ts";
import { Age, exactTime } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { useNextAddress } from "../../kit/use-url-state.ts";
import { keyState } from "../../session/key-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { endSession } from "../../session/sign-out.ts";
import { useCaller, useCredentials } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { shellTexts } from "../../texts/shell.ts";
import { OverlapChoice, SecretDialog, USUAL_OVERLAP } from "../secret-dialog.tsx";
import { REFRESH } from "../sections.tsx";
import { type ApiKey, canRotate, rotationOf } from "./api-key.ts";
import { KeyFacts, ScopeList } from "./key-facts.tsx";

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
                  {keyState(shown, Date.now()) === "replaced" && (
                    <p className="hint">A newer key has replaced it. Rotate the newer key instead.</p>
                  )}
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
          Rotate
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
    // The data that the key has read is cleared too; the operator's token stays.
    if (isOwn) endSession({ ...credentials.read(), apiKey: "" });
    else await queries.invalidateQueries();
    announce(`The key “${label}” is revoked.`);
  };
  return (
    <div>
      {keyState(apiKey, Date.now()) !== "revoked" && (
        <button type="button" onClick={() => setIsAsked(true)}>
          Revoke
        </button>
      )}
      {isAsked && (
        <ConfirmDialog
          title={`Revoke the key “${label}”?`}
          effect={
            <div className="stack tight">
              <p>
                Programs that use it get 401 from their next request. This cannot be undone. The key's record is kept.
              </p>
              <p>
                {lastUsedAt === null ? (
                  "It has never been used."
                ) : (
                  <>
                    It was last used <Age at={lastUsedAt} />.
                  </>
                )}
              </p>
              {isOwn && <p>This tab uses the key too and will be signed out of the registry.</p>}
            </div>
          }
          action="Revoke the key"
          onConfirm={revoke}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
}

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  /** Called with the successor and its secret. */
  readonly onIssued: (issued: { readonly id: string; readonly key: string }) => void;
  readonly onClose: () => void;
}

/** Asks for the overlap of a rotation, describes the effect, and issues the successor. */
function RotateKeyDialog({ apiKey, onIssued, onClose }: RotateKeyDialogProps) {
  const { id, label } = apiKey;
  const queries = useQueryClient();
  const isOwn = useCaller().data?.id === id;
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const { stopsAt, isOwnEnd, successorEndsAt } = rotationOf(apiKey, overlap * 1_000, Date.now());
  const rotate = async (): Promise<void> => {
    const { data } = await api.POST("/v1/api-keys/{keyId}/rotate", {
      params: { path: { keyId: id } },
      body: { overlapSeconds: overlap },
    });
    if (data !== undefined) onIssued({ id: data.id, key: data.key });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/api-keys"] });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/api-keys/{keyId}"] });
  };
  const stops = isOwnEnd
    ? `The old key expires before that, on ${exactTime(stopsAt)}. Until then, both keys work.`
    : `The old key stops working in ${keysTexts.overlaps[overlap]}, on ${exactTime(stopsAt)}. Until then, both keys work.`;
  return (
    <ConfirmDialog
      title={`Rotate the key “${label}”?`}
      effect={
        <div className="stack">
          <OverlapChoice label="How long the old key keeps working" overlap={overlap} onChange={setOverlap} />
          <div className="stack tight" aria-live="polite">
            <p>
              {overlap === 0
                ? "The old key stops working at once: programs that use it get 401 until they have the new one."
                : stops}
            </p>
            <p>
              {successorEndsAt === undefined
                ? "The new key has the same DID, role and scopes, and does not expire."
                : `The new key has the same DID, role, scopes and lifetime. It expires on ${exactTime(successorEndsAt)}.`}
            </p>
            {isOwn && <p>This tab uses the old key: sign in with the new one before it stops.</p>}
          </div>
        </div>
      }
      action="Issue the new key"
      isDangerous={overlap === 0}
      onConfirm={rotate}
      onClose={onClose}
    />
  );
}
