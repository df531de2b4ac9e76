/** One key in the list: what it is for, whom it speaks for, and how old it is. Its label leads to its page. */
import { Link } from "wouter";
import { Age } from "../../kit/age.tsx";
import { Badge } from "../../kit/badge.tsx";
import { DidText } from "../../kit/did-text.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { keyState } from "../../session/key-state.ts";
import type { ApiKey } from "./api-key.ts";
import { KeyBadge } from "./key-badge.tsx";

export function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, label, start, did, scopes, role, expiresAt, lastUsedAt, revokedAt } = apiKey;
  const { data: caller } = useCaller();
  const state = keyState(apiKey, Date.now());
  return (
    <li className="key-row">
      <div className="stack tight">
        <span className="row wrap">
          <Link href={`/keys/${id}`} className="key-label">
            {label}
          </Link>
          <KeyBadge state={state} />
          {caller?.id === id && <Badge>{keysTexts.thisTab}</Badge>}
        </span>
        <code className="muted small">{start}…</code>
      </div>
      <div className="stack tight">
        <DidText id={did} />
        <span className="row wrap small">
          {scopes.map((scope) => (
            <code key={scope} className="scope">
              {scope}
            </code>
          ))}
          {role !== null && <span className="muted">{keysTexts.roles[role]}</span>}
        </span>
      </div>
      <div className="key-times small">
        <span>{lastUsedAt === null ? keysTexts.neverUsed : <Spoken word={keysTexts.lastUsed} at={lastUsedAt} />}</span>
        <span className={state === "expiring" ? "" : "muted"}>
          {revokedAt !== null && <Spoken word={keysTexts.revoked} at={revokedAt} />}
          {revokedAt === null && expiresAt === null && keysTexts.noEnd}
          {revokedAt === null && expiresAt !== null && (
            <Spoken word={state === "expired" ? keysTexts.ended : keysTexts.ends} at={expiresAt} />
          )}
        </span>
      </div>
    </li>
  );
}

function Spoken({ word, at }: { readonly word: string; readonly at: string }) {
  return (
    <>
      {word} <Age at={at} />
    </>
  );
}
