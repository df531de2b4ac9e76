/** The field groups of a new key: the DID it represents, its scopes, and its lifetime. */
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

const expiriesTexts = { 30: "30 days", 90: "90 days", 365: "1 year", date: "Until a date", never: "No expiry" };

interface ExpiryFieldsProps {
  readonly draft: KeyDraft;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

/** The lifetime of a new key, with its last day. */
export function ExpiryFields({ draft, error, onChange }: ExpiryFieldsProps) {
  const { expiry, date } = draft;
  const end = endOf(draft, Date.now());
  return (
    <div className="stack tight">
      <Field
        label="How long the key is valid"
        hint="When you rotate the key, its successor has the same lifetime."
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
            ? "It is valid until it is revoked. A key that expires is safer."
            : `It expires on ${exactTime(end)}.`}
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

/** The scopes of a new key, each with the actions that it allows and those that it never allows, and the role that proposing requires. */
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
        <legend>Permissions of the key</legend>
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
            Without domains:read, the key cannot read the proposals.
          </p>
        )}
      </fieldset>
      {held.includes("verification:propose") && (
        <Field
          label="Role in governance"
          hint="Proposals show this role. The scope verification:propose requires one."
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

/** The DID that a new key represents: the DID of this tab's key, an entered one, or a did:key created here. */
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
        The registry records the key's actions under this DID. The DID controls the domains that the key creates.
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
              "This browser cannot create a did:key. Enter another DID."
            ) : freshDid === "" ? (
              "Creating one…"
            ) : (
              <DidText id={freshDid} canCopy />
            )}
          </p>
          <p className="hint">
            Created in this browser, in the same way as by “npm run keys”. Its private key is discarded, so it can act
            only through API keys.
          </p>
        </div>
      )}
      {chosen !== "other" && error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
