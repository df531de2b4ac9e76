/** Issues a key. Its secret is shown once, in a dialog; then the page of the new key takes the place of the form. */
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api } from "../../api/api.ts";
import { checkForm } from "../../api/form-check.ts";
import createApiKey from "../../api/forms/create-api-key.json";
import { exactTime } from "../../kit/age.tsx";
import { Field } from "../../kit/field.tsx";
import { Form, FormFoot } from "../../kit/form.tsx";
import { freshDid as makeDid } from "../../kit/fresh-did.ts";
import { Skeleton } from "../../kit/loaded.tsx";
import { DidText } from "../../kit/person.tsx";
import { sameJson } from "../../kit/same-json.ts";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { useForm } from "../../kit/use-form.ts";
import { useNextAddress } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { kitTexts } from "../../texts/kit.ts";
import { SecretDialog } from "../secret-dialog.tsx";
import { type Scope, scopes } from "./api-key.ts";
import {
  type DidChoice,
  type KeyDraft,
  bodyOf,
  didChoiceOf,
  emptyDraft,
  endOf,
  expiries,
  ownProblems,
} from "./key-draft.ts";
import { ScopeWords } from "./key-facts.tsx";

const expiriesTexts = { 30: "30 days", 90: "90 days", 365: "1 year", date: "Until a date", never: "No expiry" };

export function IssuePage() {
  return (
    <>
      <ScreenHeader
        title="Issue a key"
        lead="Issue a separate key for each program or person. The secret is shown once, after the key is issued."
        trail={<BackLink href="/keys">{keysTexts.backToKeys}</BackLink>}
      />
      <NeedsKey needs="operatorToken" why={keysTexts.whyOperator}>
        <IssueForm />
      </NeedsKey>
    </>
  );
}

const places = ["/label", "/did", "/scopes", "/role", "/expiresAt"];

function IssueForm() {
  const { data: caller, isLoading } = useCaller();
  // The DID that is chosen at first depends on the caller.
  if (isLoading) {
    return (
      <div role="status" aria-label={kitTexts.loading}>
        <Skeleton />
      </div>
    );
  }
  return <KeyForm own={caller?.did} />;
}

/** @param own the DID of this tab's key, if it has one. */
function KeyForm({ own }: { readonly own: string | undefined }) {
  const [draft, setDraft] = useState(emptyDraft);
  const [issued, setIssued] = useState<{ readonly id: string; readonly key: string }>();
  // A time that changed without input would look like a correction of the field.
  const [openedAt] = useState(Date.now);
  const goTo = useNextAddress();
  const queries = useQueryClient();
  const form = useForm({
    body: bodyOf(draft, { own, now: openedAt }),
    places,
    check: (body) => [...checkForm(createApiKey, body), ...ownProblems(body)],
    send: async (body) => {
      const { data } = await api.POST("/v1/api-keys", { body: { ...body, expiresAt: endOf(draft, Date.now()) } });
      if (data !== undefined) setIssued({ id: data.id, key: data.key });
      void queries.invalidateQueries({ queryKey: ["get", "/v1/api-keys"] });
      return undefined;
    },
  });
  const change = (changed: Partial<KeyDraft>): void => setDraft((before) => ({ ...before, ...changed }));
  const stored = (): void => {
    if (issued !== undefined) goTo(`/keys/${issued.id}`);
    setIssued(undefined);
  };
  return (
    <>
      <Form
        form={form}
        isDirty={!sameJson(draft, emptyDraft)}
        loss="The key has not been issued. Your entries will be lost."
        className="card stack loose key-form"
        foot={
          <FormFoot
            form={form}
            submitLabel="Issue the key"
            busyLabel="Issuing…"
            cancelHref="/keys"
            whenLost="The response was lost, but the key may have been issued. If the list shows it, revoke it: its secret is lost."
          />
        }
      >
        <Field
          label="Label"
          hint="The program or person that uses it, such as “Field app, Kisumu”."
          error={form.errorAt("/label")}
        >
          {(ids) => (
            <input
              {...ids}
              value={draft.label}
              autoComplete="off"
              onChange={(event) => change({ label: event.target.value })}
            />
          )}
        </Field>
        <DidFields draft={draft} error={form.errorAt("/did")} onChange={change} />
        <ScopeFields draft={draft} errorAt={form.errorAt} onChange={change} />
        <ExpiryFields draft={draft} error={form.errorAt("/expiresAt")} onChange={change} />
      </Form>
      {issued !== undefined && <SecretDialog kind="key" secret={issued.key} onStored={stored} />}
    </>
  );
}

interface ExpiryFieldsProps {
  readonly draft: KeyDraft;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

/** How long a new key is valid, with the day on which that ends. */
function ExpiryFields({ draft, error, onChange }: ExpiryFieldsProps) {
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

/** What a new key may do: each scope with what it allows and what it never allows, and the role that proposing needs. */
function ScopeFields({ draft, errorAt, onChange }: ScopeFieldsProps) {
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

/** Whom a new key speaks for: the DID of this tab's key, one that is entered, or a did:key made here. */
function DidFields({ draft, error, onChange }: DidFieldsProps) {
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
