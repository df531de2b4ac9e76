/** What a new key may do: each scope with what it allows and what it never allows, and the role that proposing needs. */
import { useId } from "react";
import { Field } from "../../kit/field.tsx";
import { keysTexts } from "../../texts/keys.ts";
import { scopes, type Scope } from "./api-key.ts";
import type { KeyDraft } from "./key-draft.ts";
import { ScopeWords } from "./scope-list.tsx";

export interface ScopeFieldsProps {
  readonly draft: KeyDraft;
  readonly errorAt: (place: string) => string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

/** Scopes that include reading. */
const reading: readonly Scope[] = ["domains:read", "domains:write", "registry:admin"];
const roles = ["compliance", "program"] as const;

export function ScopeFields({ draft, errorAt, onChange }: ScopeFieldsProps) {
  const id = useId();
  const error = errorAt("/scopes");
  const held = draft.scopes;
  const toggle = (scope: Scope): void =>
    onChange({ scopes: scopes.filter((each) => (each === scope) !== held.includes(each)) });
  const cannotRead = held.length > 0 && !held.some((scope) => reading.includes(scope));
  return (
    <div className="stack">
      <fieldset className="choices" aria-describedby={`${id}-hint`}>
        <legend>{keysTexts.scopesLegend}</legend>
        <p className="hint" id={`${id}-hint`}>
          {keysTexts.scopesHint}
        </p>
        {scopes.map((scope) => (
          <label key={scope} className="scope-choice">
            <input
              type="checkbox"
              checked={held.includes(scope)}
              aria-invalid={error === undefined ? undefined : true}
              aria-describedby={error === undefined ? undefined : `${id}-error`}
              onChange={() => toggle(scope)}
            />
            <ScopeWords scope={scope} />
          </label>
        ))}
        {error !== undefined && (
          <p className="field-error" id={`${id}-error`}>
            {error}
          </p>
        )}
        {cannotRead && (
          <p className="hint" role="status">
            {keysTexts.addRead}
          </p>
        )}
      </fieldset>
      {held.includes("verification:propose") && (
        <Field label={keysTexts.role} hint={keysTexts.roleHint} error={errorAt("/role")}>
          {(ids) => (
            <select
              {...ids}
              value={draft.role}
              onChange={(event) => onChange({ role: roles.find((role) => role === event.target.value) ?? "" })}
            >
              <option value="">{keysTexts.chooseRole}</option>
              {roles.map((role) => (
                <option key={role} value={role}>
                  {keysTexts.roles[role]}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  );
}
