/** A labelled form field: its hint and its error are associated with the control for assistive technology. */
import { type ReactNode, useId } from "react";

export interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** Renders the control with the ids that associate it with its label. */
  readonly children: (ids: FieldIds) => ReactNode;
}

export function Field({ label, hint, error, isOptional = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean);
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {isOptional && <span className="muted small">optional</span>}
      </label>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** The texts of a form's fields by name, trimmed. */
export function fieldTexts<Name extends string>(
  form: HTMLFormElement,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const data = new FormData(form);
  const textOf = (name: Name): string => {
    const value = data.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  return Object.fromEntries(names.map((name) => [name, textOf(name)])) as Record<Name, string>;
}
