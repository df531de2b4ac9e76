/**
 * The form of a new or changed webhook: validated with the registry's schema, and by the registry for rules that a schema cannot
 * express.
 */
import { useId, useState } from "react";
import { checkForm } from "../../api/form-check.ts";
import createWebhook from "../../api/forms/create-webhook.json";
import { Field } from "../../kit/field.tsx";
import { Form, FormFoot } from "../../kit/form.tsx";
import { sameJson } from "../../kit/same-json.ts";
import { useForm } from "../../kit/use-form.ts";
import { changeName } from "../../texts/changes.ts";
import { type WebhookBody, type WebhookDraft, bodyOf, changedOf, draftOf, unchosen } from "./webhook-draft.ts";
import { type Action, type Webhook, actions } from "./webhook.ts";

export interface WebhookFormProps {
  /** The webhook to change; absent for a new one. */
  readonly webhook?: Webhook;
  readonly cancelHref: string;
  /**
   * Resolves to the next address, if there is one.
   * @param changed the differences from the webhook when the form was opened.
   */
  readonly onSend: (body: WebhookBody, changed: Partial<WebhookBody>) => Promise<string | undefined>;
}

const places = ["/url", "/description", "/actions", "/enabled"];

export function WebhookForm({ webhook, cancelHref, onSend }: WebhookFormProps) {
  const isNew = webhook === undefined;
  const [initial] = useState(() => draftOf(webhook));
  const [draft, setDraft] = useState(initial);
  const enabledHint = useId();
  const form = useForm({
    body: bodyOf(draft, isNew),
    places,
    check: (body) => [...checkForm(createWebhook, body), ...unchosen(body, draft.isEvery)],
    send: (body) => onSend(body, changedOf(bodyOf(initial, isNew), body)),
  });
  const change = (changed: Partial<WebhookDraft>): void => setDraft((before) => ({ ...before, ...changed }));
  return (
    <Form
      form={form}
      isDirty={!sameJson(draft, initial)}
      loss={
        isNew
          ? "The webhook has not been created. Your entries will be lost."
          : "Your changes to the webhook have not been saved and will be lost."
      }
      className="card stack loose key-form"
      foot={
        <FormFoot
          form={form}
          submitLabel={isNew ? "Create the webhook" : "Save"}
          busyLabel="Saving…"
          cancelHref={cancelHref}
          whenLost={
            isNew
              ? "The response was lost, but the webhook may have been created. If the list shows it, rotate its secret or delete it."
              : undefined
          }
        />
      }
    >
      <Field
        label="Address"
        hint="An https address whose host the operator has listed in REGISTRY_WEBHOOK_HOSTS. In development, http works too."
        error={form.errorAt("/url")}
      >
        {(ids) => (
          <input
            {...ids}
            type="url"
            value={draft.url}
            placeholder="https://hooks.example.org/twinedge"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ url: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" isOptional error={form.errorAt("/description")}>
        {(ids) => (
          <input
            {...ids}
            value={draft.description}
            autoComplete="off"
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <ActionFields
        isEvery={draft.isEvery}
        chosen={draft.actions}
        error={form.errorAt("/actions")}
        onEvery={(isEvery) => change({ isEvery })}
        onChosen={(actions) => change({ actions })}
      />
      {isNew && (
        <div className="choices">
          <label>
            <input
              type="checkbox"
              checked={draft.isEnabled}
              aria-describedby={enabledHint}
              onChange={(event) => change({ isEnabled: event.target.checked })}
            />
            Begin at once
          </label>
          <p className="hint" id={enabledHint}>
            Otherwise, changes wait until you resume the webhook.
          </p>
        </div>
      )}
    </Form>
  );
}

interface ActionFieldsProps {
  readonly isEvery: boolean;
  readonly chosen: readonly Action[];
  readonly error: string | undefined;
  readonly onEvery: (isEvery: boolean) => void;
  readonly onChosen: (chosen: readonly Action[]) => void;
}

/** Which changes a webhook sends: every one, or the selected kinds. */
function ActionFields({ isEvery, chosen, error, onEvery, onChosen }: ActionFieldsProps) {
  const id = useId();
  const toggle = (action: Action): void =>
    onChosen(actions.filter((each) => (each === action) !== chosen.includes(each)));
  return (
    <fieldset className="choices">
      <legend>Changes of domains to send</legend>
      {[true, false].map((every) => (
        <label key={String(every)}>
          <input type="radio" name={id} checked={isEvery === every} onChange={() => onEvery(every)} />
          {every ? "Every change" : "Only these"}
        </label>
      ))}
      {!isEvery && (
        <ul className="action-choices" aria-label="Only these">
          {actions.map((action) => (
            <li key={action}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(action)}
                  aria-invalid={error === undefined ? undefined : true}
                  aria-describedby={error === undefined ? undefined : `${id}-error`}
                  onChange={() => toggle(action)}
                />
                {changeName(action)}
              </label>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
