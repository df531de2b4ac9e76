/** The scopes of a key, each with what it allows and what it never allows. */
import { type Scope, scopes } from "./api-key.ts";

const scopesTexts = {
  "domains:read": {
    allows: "Reads domains, their history, proposals, votes, the change feed and the export.",
    never: "Changes nothing.",
  },
  "domains:write": {
    allows: "Creates domains and changes those that its DID controls. Includes reading.",
    never: "Never changes a domain of other controllers, never proposes or votes.",
  },
  "verification:propose": {
    allows: "Opens proposals to verify a domain or to revoke its verification.",
    never: "Never votes, and does not include reading.",
  },
  "verification:vote": {
    allows: "Votes on proposals whose electorate has its DID.",
    never: "Never puts a DID on the voter roll, and does not include reading.",
  },
  "registry:admin": {
    allows: "Changes every domain; manages the voter roll, webhooks and imports. Includes reading and writing.",
    never: "Never proposes or votes, and issues no keys.",
  },
};

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
