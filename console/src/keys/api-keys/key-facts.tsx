/** What the registry knows of a key. A key from the server's settings has fewer facts. */
import { Link } from "wouter";
import { DidText } from "../../kit/did-text.tsx";
import { AgeAndTime, CopiedText, Fact } from "../../kit/fact.tsx";
import { keyState } from "../../session/key-state.ts";
import { keysTexts } from "../../texts/keys.ts";
import type { ApiKey } from "./api-key.ts";
import { KeyBadge } from "./key-badge.tsx";

const facts = {
  state: "State",
  start: "Begins with",
  id: "Id",
  did: "Speaks for",
  role: "Role",
  issued: "Issued",
  used: "Last used",
  ends: "Ends",
  revoked: "Revoked",
  replacedBy: "Replaced by",
};

export function KeyFacts({ apiKey }: { readonly apiKey: Partial<ApiKey> }) {
  const { id, start, did, role, createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy } = apiKey;
  return (
    <dl className="facts">
      <Fact name={facts.state}>
        <KeyBadge state={keyState(apiKey, Date.now())} />
      </Fact>
      {start !== undefined && (
        <Fact name={facts.start}>
          <code>{start}…</code>
        </Fact>
      )}
      {did !== undefined && (
        <Fact name={facts.did}>
          <DidText id={did} canCopy />
        </Fact>
      )}
      <Fact name={facts.role}>{role === null || role === undefined ? "None" : keysTexts.roles[role]}</Fact>
      <TimeFact name={facts.issued} at={createdAt} />
      <TimeFact name={facts.used} at={lastUsedAt} otherwise={keysTexts.neverUsed} />
      <TimeFact name={facts.ends} at={expiresAt} otherwise={keysTexts.noEnd} />
      <TimeFact name={facts.revoked} at={revokedAt} />
      {typeof replacedBy === "string" && (
        <Fact name={facts.replacedBy}>
          <Link href={`/keys/${replacedBy}`}>{replacedBy}</Link>
        </Fact>
      )}
      {id !== undefined && (
        <Fact name={facts.id}>
          <CopiedText text={id} label="Copy the id" />
        </Fact>
      )}
    </dl>
  );
}

interface TimeFactProps {
  readonly name: string;
  readonly at: string | null | undefined;
  /** Shown when it has not happened. Without it, the fact is left out then. */
  readonly otherwise?: string;
}

function TimeFact({ name, at, otherwise }: TimeFactProps) {
  if (typeof at === "string")
    return (
      <Fact name={name}>
        <AgeAndTime at={at} />
      </Fact>
    );
  return at === null && otherwise !== undefined && <Fact name={name}>{otherwise}</Fact>;
}
