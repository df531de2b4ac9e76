/** The fields of the form, over values of a body that may also be edited as JSON. An empty field sets no member. */
import { useState } from "react";
import { Field } from "../../kit/field.tsx";
import { sameJson } from "../../kit/same-json.ts";
import { formPageTexts } from "../../texts/registry.ts";

const { hints } = formPageTexts;

interface DraftFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isOptional?: boolean;
  readonly error: string | undefined;
  readonly value: unknown;
  /** Undefined removes the member. */
  readonly onChange: (value: unknown) => void;
}

interface TextFieldProps extends DraftFieldProps {
  readonly isLong?: boolean;
  /** Id of a datalist. */
  readonly list?: string;
}

export function TextField({
  label,
  hint,
  isOptional = false,
  isLong = false,
  list,
  error,
  value,
  onChange,
}: TextFieldProps) {
  const isText = value === undefined || value === null || typeof value === "string";
  const note = isText ? hint : hints.notPlain;
  const common = { value: isText ? (value ?? "") : JSON.stringify(value), readOnly: !isText, spellCheck: isLong };
  const change = (typed: string): void => onChange(typed === "" ? undefined : typed);
  return (
    <Field label={label} hint={note} isOptional={isOptional} error={error}>
      {(ids) =>
        isLong ? (
          <textarea rows={3} {...common} onChange={(event) => change(event.target.value)} {...ids} />
        ) : (
          <input
            type="text"
            autoComplete="off"
            list={list}
            {...common}
            onChange={(event) => change(event.target.value)}
            {...ids}
          />
        )
      }
    </Field>
  );
}

/** A list of texts, one per line. The typed text is kept while it represents the list. */
export function LinesField({ label, hint, isOptional = false, error, value, onChange }: DraftFieldProps) {
  const [typed, setTyped] = useState("");
  const list = Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : [];
  const shown = sameJson(linesOf(typed), list) ? typed : list.join("\n");
  return (
    <Field label={label} hint={hint} isOptional={isOptional} error={error}>
      {(ids) => (
        <textarea
          rows={Math.max(2, list.length)}
          spellCheck={false}
          value={shown}
          onChange={(event) => {
            setTyped(event.target.value);
            const lines = linesOf(event.target.value);
            onChange(lines.length === 0 ? undefined : lines);
          }}
          {...ids}
        />
      )}
    </Field>
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const midnight = /^(\d{4}-\d\d-\d\d)(T00:00:00(\.0+)?Z)?$/;

/** A day if the value is one, with a calendar; an exact time as text. */
export function TimeField({ label, hint, error, value, onChange }: DraftFieldProps) {
  const text = typeof value === "string" ? value : "";
  const day = text === "" ? "" : midnight.exec(text)?.[1];
  const note = day === undefined ? hints.exactTime : hint;
  return (
    <Field label={label} hint={note} isOptional error={error}>
      {(ids) => (
        <input
          type={day === undefined ? "text" : "date"}
          min="1970-01-01"
          max="9999-12-31"
          value={day ?? text}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
          {...ids}
        />
      )}
    </Field>
  );
}
