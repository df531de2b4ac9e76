/** The registry's facts about a key. A key from the server's settings has fewer. */
import { Link } from "wouter";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { AgeAndTime, CopiedText, Fact } from "../../kit/fact.tsx";
import { DidText } from "../../kit/person.tsx";
import { type KeyState, keyState } from "../../session/key-state.ts";
import { keysTexts } from "../../texts/keys.ts";
import { type ApiKey, type Scope, scopes } from "./api-key.ts";

const facts = {
  state: "State",
  start: "Begins with",
  id: "Id",
  did: "Acts as",
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
  /** Shown if the event has not happened. Without this text, the fact is then omitted. */
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

const tones: Readonly<Record<KeyState, Tone>> = {
  active: "ok",
  expiring: "warn",
  replaced: "info",
  expired: "neutral",
  revoked: "danger",
};

/** The state of a key in a word. */
export function KeyBadge({ state }: { readonly state: KeyState }) {
  return <Badge tone={tones[state]}>{keysTexts.states[state]}</Badge>;
}

const scopesTexts = {
  "domains:read": {
    allows: "Reads domains, their history, proposals, votes, the change feed and the export.",
    never: "Cannot change anything.",
  },
  "domains:write": {
    allows: "Creates domains and changes those that its DID controls. Includes reading.",
    never: "Cannot change other controllers' domains, propose or vote.",
  },
  "verification:propose": {
    allows: "Opens proposals to verify a domain or to revoke its verification.",
    never: "Cannot vote or read.",
  },
  "verification:vote": {
    allows: "Votes on proposals whose electorate includes its DID.",
    never: "Cannot change the voter roll or read.",
  },
  "registry:admin": {
    allows: "Changes every domain; manages the voter roll, webhooks and imports. Includes reading and writing.",
    never: "Cannot propose, vote or issue keys.",
  },
};

/** The scopes of a key, each with the actions that it allows and those that it never allows. */
export function ScopeList({ held }: { readonly held: readonly Scope[] }) {
  return (
    <ul className="scope-list">
      {scopes
        .filter((scope) => held.includes(scope))
        .map((scope) => (
          <li key={scope}>
            <ScopeWords scope={scope} />
          </li>
        ))}
    </ul>
  );
}

export function ScopeWords({ scope }: { readonly scope: Scope }) {
  const { allows, never } = scopesTexts[scope];
  return (
    <span className="scope-words">
      <code>{scope}</code>
      <span>{allows}</span>
      <span className="muted small">{never}</span>
    </span>
  );
}
