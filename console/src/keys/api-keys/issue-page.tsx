/** Issues a key. Its secret is shown once, in a dialog; then the page of the new key replaces the form. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/api.ts";
import { checkForm } from "../../api/form-check.ts";
import createApiKey from "../../api/forms/create-api-key.json";
import { Field } from "../../kit/field.tsx";
import { Form, FormFoot } from "../../kit/form.tsx";
import { Skeleton } from "../../kit/loaded.tsx";
import { sameJson } from "../../kit/same-json.ts";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { useForm } from "../../kit/use-form.ts";
import { useNextAddress } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { kitTexts } from "../../texts/kit.ts";
import { SecretDialog } from "../secret-dialog.tsx";
import { type KeyDraft, bodyOf, emptyDraft, endOf, ownProblems } from "./key-draft.ts";
import { DidFields, ExpiryFields, ScopeFields } from "./key-fields.tsx";

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
  // The initial DID depends on the caller.
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
  // A time that changes on its own would look like a correction of the field.
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
