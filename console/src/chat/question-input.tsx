/** One field of a server's form. */
import { useId } from "react";
import { Field, type FieldIds } from "../kit/field.tsx";
import { chatTexts } from "../texts/chat.ts";
import type { QuestionField } from "./question-fields.ts";

export interface QuestionInputProps {
  readonly field: QuestionField;
  /** Its error. */
  readonly fault: string | undefined;
}

const inputTypes: Readonly<Partial<Record<QuestionField["type"], string>>> = {
  email: "email",
  url: "url",
  date: "date",
  datetime: "datetime-local",
};

export function QuestionInput({ field, fault }: QuestionInputProps) {
  const { label, hint, isRequired, type } = field;
  if (type === "yes") return <Yes field={field} />;
  if (type === "several") return <Several field={field} fault={fault} />;
  return (
    <Field label={label} hint={hint} error={fault} isOptional={!isRequired}>
      {(ids) => (type === "one" ? <One field={field} ids={ids} /> : <Typed field={field} ids={ids} />)}
    </Field>
  );
}

function Typed({
  field: { control, type, isRequired, initial },
  ids,
}: {
  readonly field: QuestionField;
  readonly ids: FieldIds;
}) {
  return (
    <input
      {...ids}
      name={control}
      type={inputTypes[type] ?? "text"}
      inputMode={type === "number" ? "decimal" : type === "integer" ? "numeric" : undefined}
      autoComplete="off"
      aria-required={isRequired}
      defaultValue={initial[0] ?? ""}
    />
  );
}

function One({
  field: { control, choices, isRequired, initial },
  ids,
}: {
  readonly field: QuestionField;
  readonly ids: FieldIds;
}) {
  return (
    <select {...ids} name={control} aria-required={isRequired} defaultValue={initial[0] ?? ""}>
      <option value="">{chatTexts.question.choose}</option>
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function Yes({ field: { control, label, hint, initial } }: { readonly field: QuestionField }) {
  const id = useId();
  return (
    <div className="choices">
      <label>
        <input type="checkbox" name={control} defaultChecked={initial[0] === "true"} aria-describedby={hint && id} />
        {label}
      </label>
      {hint !== undefined && (
        <p className="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}

function Several({ field: { control, label, hint, choices, initial }, fault }: QuestionInputProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-error`].filter(Boolean);
  return (
    <fieldset className="choices" aria-describedby={described.length === 0 ? undefined : described.join(" ")}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {choices.map((choice) => (
        <label key={choice.value}>
          <input type="checkbox" name={control} value={choice.value} defaultChecked={initial.includes(choice.value)} />
          {choice.label}
        </label>
      ))}
      {fault !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
