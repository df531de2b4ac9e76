/** The groups of fields of a new key: whom it speaks for, what it may do, and how long it is valid. */
import { useId, useState } from "react";
import { exactTime } from "../../kit/age.tsx";
import { Field } from "../../kit/field.tsx";
import { freshDid as makeDid } from "../../kit/fresh-did.ts";
import { DidText } from "../../kit/person.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { type Scope, scopes } from "./api-key.ts";
import { type DidChoice, type KeyDraft, didChoiceOf, endOf, expiries } from "./key-draft.ts";
import { ScopeWords } from "./key-facts.tsx";

const expiriesTexts = { 30: "30 days", 90: "90 days", 365: "1 year", date: "Until a date", never: "Without an end" };

interface ExpiryFieldsProps {
  readonly draft: KeyDraft;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

/** How long a new key is valid, with the day on which that ends. */
export function ExpiryFields({ draft, error, onChange }: ExpiryFieldsProps) {
  const { expiry, date } = draft;
  const end = endOf(draft, Date.now());
  return (
    <div className="stack tight">
      <Field
        label="How long the key is valid"
        hint="Rotating gives the successor as long again."
        error={expiry === "date" ? undefined : error}
      >
        {(ids) => (
          <select
            {...ids}
            value={expiry}
            onChange={(event) => onChange({ expiry: expiries.find((each) => each === event.target.value) ?? expiry })}
          >
            {expiries.map((each) => (
              <option key={each} value={each}>
                {expiriesTexts[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {expiry === "date" && (
        <Field label="Last day, UTC" error={error}>
          {(ids) => (
            <input {...ids} type="date" value={date} onChange={(event) => onChange({ date: event.target.value })} />
          )}
        </Field>
      )}
      {end !== "" && (
        <p className="hint" role="status">
          {end === null
            ? "It is valid until somebody revokes it. A key that ends by itself is safer."
            : `It ends on ${exactTime(end)}.`}
        </p>
      )}
    </div>
  );
}

interface ScopeFieldsProps {
  readonly draft: KeyDraft;
  readonly errorAt: (place: string) => string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

/** Scopes that include reading. */
const reading: readonly Scope[] = ["domains:read", "domains:write", "registry:admin"];
const roles = ["compliance", "program"] as const;

/** What a new key may do: each scope with what it allows and what it never allows, and the role that proposing needs. */
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
        <legend>What the key may do</legend>
        <p className="hint" id={`${id}-hint`}>
          Choose as little as the program needs.
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
            Without domains:read the key cannot read the proposals that it is for.
          </p>
        )}
      </fieldset>
      {held.includes("verification:propose") && (
        <Field
          label="Role in governance"
          hint="Proposals name it. The scope verification:propose needs one."
          error={errorAt("/role")}
        >
          {(ids) => (
            <select
              {...ids}
              value={draft.role}
              onChange={(event) => onChange({ role: roles.find((role) => role === event.target.value) ?? "" })}
            >
              <option value="">Choose a role</option>
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

const didChoices = { own: "The DID of my key", other: "Another DID", fresh: "A new did:key" };

interface DidFieldsProps {
  readonly draft: KeyDraft;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

/** Whom a new key speaks for: the DID of this tab's key, one that is entered, or a did:key made here. */
export function DidFields({ draft, error, onChange }: DidFieldsProps) {
  const { otherDid, freshDid } = draft;
  const id = useId();
  const own = useCaller().data?.did;
  const chosen = didChoiceOf(draft, own);
  const [isUnable, setIsUnable] = useState(false);
  const choices: readonly DidChoice[] = own === undefined ? ["other", "fresh"] : ["own", "other", "fresh"];

  const choose = (choice: DidChoice): void => {
    onChange({ didChoice: choice });
    if (choice !== "fresh" || freshDid !== "") return;
    makeDid().then(
      (made) => onChange({ freshDid: made }),
      () => setIsUnable(true),
    );
  };

  return (
    <fieldset className="choices" aria-describedby={`${id}-hint`}>
      <legend>Holder of the key</legend>
      <p className="hint" id={`${id}-hint`}>
        Changes made with the key are recorded under this DID. The DID also controls the domains that the key creates.
      </p>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="radio" name={id} checked={chosen === choice} onChange={() => choose(choice)} />
          <span className="row wrap">
            {didChoices[choice]}
            {choice === "own" && own !== undefined && <DidText id={own} />}
          </span>
        </label>
      ))}
      {chosen === "other" && (
        <Field label="The DID" error={error}>
          {(ids) => (
            <input
              {...ids}
              className="code"
              value={otherDid}
              placeholder="did:web:example.org"
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => onChange({ otherDid: event.target.value })}
            />
          )}
        </Field>
      )}
      {chosen === "fresh" && (
        <div className="stack tight" role="status">
          <p>
            {isUnable ? (
              "This browser cannot make a did:key. Enter another DID."
            ) : freshDid === "" ? (
              "Making one…"
            ) : (
              <DidText id={freshDid} canCopy />
            )}
          </p>
          <p className="hint">
            Made here, as “npm run keys” makes it. Nobody keeps its private key, so it acts through API keys alone.
          </p>
        </div>
      )}
      {chosen !== "other" && error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
