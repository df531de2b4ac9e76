/** The filters of a list: a choice applies at once, what is typed when it is sent. */
import { useEffect, useRef, type ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";
import { Field, type FieldIds } from "./field.tsx";
import { fieldTexts } from "./field-texts.ts";

export interface FilterChoice<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** No choice, in words. */
  readonly any: string;
  /** Values and their words. */
  readonly options: readonly (readonly [string, string])[];
}

export interface TypedFilter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly type?: "text" | "date";
  readonly placeholder?: string;
}

export interface FilterFormProps<Name extends string> {
  readonly filters: Readonly<Record<NoInfer<Name>, string>>;
  readonly choices: readonly FilterChoice<Name>[];
  readonly typed: readonly TypedFilter<Name>[];
  readonly onChange: (changed: Readonly<Partial<Record<Name, string>>>) => void;
  /** The summary of a disclosure that has the typed filters. It is open while one of them filters. */
  readonly more?: string;
  /** Further choices. */
  readonly children?: ReactNode;
}

export function FilterForm<Name extends string>(props: FilterFormProps<Name>) {
  const { filters, choices, typed, onChange, more, children } = props;
  const entered = typed.map(({ name }) => filters[name]);
  const fields = (
    <>
      {typed.map(({ name, label, type = "text", placeholder }) => (
        <Field key={name} label={label}>
          {(ids) => <TypedInput ids={ids} type={type} name={name} value={filters[name]} placeholder={placeholder} />}
        </Field>
      ))}
      <button type="submit">{kitTexts.apply}</button>
    </>
  );
  return (
    <form
      className="stack tight filters"
      aria-label={kitTexts.filters}
      onSubmit={(event) => {
        event.preventDefault();
        const names = typed.map(({ name }) => name);
        onChange(fieldTexts(event.currentTarget, names));
      }}
    >
      <div className="row wrap">
        {choices.map(({ name, label, any, options }) => (
          <Field key={name} label={label}>
            {(ids) => (
              <select
                {...ids}
                value={filters[name]}
                onChange={(event) => onChange({ [name]: event.target.value } as Partial<Record<Name, string>>)}
              >
                <option value="">{any}</option>
                {options.map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
        {children}
        {more === undefined && fields}
      </div>
      {more !== undefined && (
        <details open={entered.some((value) => value !== "")}>
          <summary>{more}</summary>
          <div className="row wrap">{fields}</div>
        </details>
      )}
    </form>
  );
}

interface TypedInputProps {
  readonly ids: FieldIds;
  readonly type: string;
  readonly name: string;
  /** What the address has. */
  readonly value: string;
  readonly placeholder: string | undefined;
}

/** Takes over the value of the address whenever that changes. The element stays the same, so that Enter does not lose the focus. */
function TypedInput({ ids, value, ...attributes }: TypedInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.value = value;
  }, [value]);
  return <input {...ids} {...attributes} ref={input} defaultValue={value} spellCheck={false} autoComplete="off" />;
}
