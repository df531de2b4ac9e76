/** The scopes of a key, each with what it allows and what it never allows. */
import { keysTexts } from "../../texts/keys.ts";
import { scopes, type Scope } from "./api-key.ts";

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
  const { allows, never } = keysTexts.scopes[scope];
  return (
    <span className="scope-words">
      <code>{scope}</code>
      <span>{allows}</span>
      <span className="muted small">{never}</span>
    </span>
  );
}
