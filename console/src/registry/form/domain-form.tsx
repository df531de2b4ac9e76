/** The form of a domain: plain fields first, the rest behind disclosures, all of it as JSON last. */
import type { ReactNode } from "react";
import type { FieldProblem } from "../../api/api-failure.ts";
import { Field } from "../../kit/field.tsx";
import { Form, FormFoot } from "../../kit/form.tsx";
import { type FormState, useForm } from "../../kit/use-form.ts";
import { formPageTexts } from "../../texts/registry.ts";
import { type Body, type FieldName, fieldPaths, memberAt, placesOf } from "./domain-draft.ts";
import { LinesField, TextField, TimeField } from "./draft-fields.tsx";
import { ItemLists } from "./item-rows.tsx";
import type { Draft } from "./use-draft.ts";

const jsonBroken =
  "This is not a valid JSON object, or it is nested more than 64 levels deep. Correct it to use the fields again.";

const { labels, hints } = formPageTexts;

interface DomainFormOptions {
  readonly draft: Draft;
  readonly check: (body: Body) => readonly FieldProblem[];
  /** Resolves to the next address. */
  readonly send: (body: Body, idempotencyKey: string) => Promise<string | undefined>;
}

/** While the JSON is invalid, it is an error of the whole body. */
export function useDomainForm({ draft, check, send }: DomainFormOptions): FormState {
  const { body, text, isBroken } = draft;
  return useForm<Body | string>({
    body: isBroken ? text : body,
    places: isBroken ? [""] : placesOf(body),
    check: () => (isBroken ? [{ field: "", code: "json", message: jsonBroken }] : check(body)),
    send: (_, idempotencyKey) => send(body, idempotencyKey),
  });
}

export interface DomainFormProps {
  readonly draft: Draft;
  readonly form: FormState;
  readonly isNew: boolean;
  readonly isDirty: boolean;
  /** What leaving would lose, as a sentence. */
  readonly loss: string;
  /** The field of the type, and the class suggestions. */
  readonly typeField: ReactNode;
  readonly classOptions?: ReactNode;
  readonly submitLabel: string;
  readonly busyLabel: string;
  readonly cancelHref: string;
  /** Shown instead of a failure. */
  readonly refusal?: ReactNode;
}

export function DomainForm({ draft, form, isNew, isDirty, loss, typeField, classOptions, ...foot }: DomainFormProps) {
  const errorOf = (name: FieldName): string | undefined => form.errorAt(`/${fieldPaths[name].join("/")}`);
  const text = (name: FieldName, hint: string | undefined, isOptional = false, isLong = false) => (
    <TextField
      label={labels[name]}
      hint={hint}
      isOptional={isOptional}
      isLong={isLong}
      error={errorOf(name)}
      value={memberAt(draft.body, fieldPaths[name])}
      onChange={(value) => draft.setMember(fieldPaths[name], value)}
    />
  );
  return (
    <Form
      form={form}
      isDirty={isDirty}
      loss={loss}
      className="stack domain-form"
      foot={
        <FormFoot
          form={form}
          {...(isNew
            ? {
                whenLost:
                  "The response was lost, but the domain may have been created. If you send the form again unchanged, no second domain is created. If you change it first, a second domain is created.",
              }
            : {})}
          {...foot}
        />
      }
    >
      <fieldset className="stack" disabled={draft.isBroken}>
        <section className="card" aria-labelledby="basics-heading">
          <h2 id="basics-heading">Basics</h2>
          {typeField}
          {text("name", hints.name)}
          {text("description", undefined, true, true)}
          <TextField
            label={labels.class}
            hint={isNew ? hints.class : hints.editClass}
            list="class-options"
            error={errorOf("class") ?? form.errorAt("/protocol")}
            value={memberAt(draft.body, fieldPaths.class) ?? draft.body["protocol"]}
            onChange={(value) => draft.setMember("protocol" in draft.body ? ["protocol"] : fieldPaths.class, value)}
          />
          {classOptions}
        </section>
        <details className="card">
          <summary>
            <h2>Controllers, validity and ids</h2>
          </summary>
          <div className="stack">
            <LinesField
              label={labels.controllers}
              hint={isNew ? hints.controllers : hints.editControllers}
              isOptional={isNew}
              error={errorOf("controllers") ?? form.errorAt("/controller")}
              value={memberAt(draft.body, fieldPaths.controllers)}
              onChange={(value) => draft.setMember(fieldPaths.controllers, value)}
            />
            <div className="grid">
              {(["validFrom", "validUntil"] as const).map((name) => (
                <TimeField
                  key={name}
                  label={labels[name]}
                  hint={hints[name]}
                  error={errorOf(name)}
                  value={memberAt(draft.body, fieldPaths[name])}
                  onChange={(value) => draft.setMember(fieldPaths[name], value)}
                />
              ))}
            </div>
            {text("externalId", hints.externalId, true)}
            {text("relayerNode", hints.relayerNode, true)}
          </div>
        </details>
        <ItemLists draft={draft} errorAt={form.errorAt} />
      </fieldset>
      <details className="card">
        <summary>
          <h2>All of it as JSON</h2>
        </summary>
        <Field
          label="Domain as JSON"
          hint="The whole domain, including values without a field above: keys and other lists of the document, and more metadata. The fields and the JSON stay in sync."
          error={draft.isBroken ? jsonBroken : undefined}
        >
          {(ids) => (
            <textarea
              className="code"
              rows={16}
              spellCheck={false}
              value={draft.text}
              onChange={(event) => draft.setText(event.target.value)}
              {...ids}
            />
          )}
        </Field>
      </details>
    </Form>
  );
}
