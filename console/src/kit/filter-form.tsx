/** The filters of a list: a selection applies at once, a search during typing, other inputs on submit. */
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Field, type FieldIds, fieldTexts } from "./field.tsx";
import { isComposing } from "./is-composing.ts";
import { PAUSE } from "./use-settled.ts";
import type { ChangeOptions } from "./use-url-state.ts";

export interface FilterChoice<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** The label of no selection. */
  readonly any: string;
  /** Values and their labels. */
  readonly options: readonly (readonly [string, string])[];
}

export interface TypedFilter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly hint?: string;
  readonly type?: "text" | "date";
  readonly placeholder?: string;
}

/** A filter with a list takes several values: typed values are added, and a selection replaces them. */
type Filters = Readonly<Record<string, string | readonly string[]>>;

export interface FilterFormProps<State extends Filters> {
  readonly filters: State;
  readonly search?: TypedFilter<keyof State & string>;
  readonly choices: readonly FilterChoice<keyof State & string>[];
  readonly typed: readonly TypedFilter<keyof State & string>[];
  readonly onChange: (changed: Partial<State>, options?: ChangeOptions) => void;
  /**
   * The summary of a disclosure with the typed filters. It is open while one of these filters is active, unless the active
   * filters are also listed.
   */
  readonly more?: string;
  /** The active filters, each with a way to remove it. Required for a list of values. */
  readonly inForce?: ReactNode;
  /** Further inputs. */
  readonly children?: ReactNode;
}

/** Characters. */
const LONGEST_TYPED = 512;

export function FilterForm<State extends Filters>(props: FilterFormProps<State>) {
  const { filters, search, choices, typed, onChange, more, inForce, children } = props;
  const valuesOf = (name: keyof State): readonly string[] =>
    [filters[name] ?? []].flat().filter((value) => value !== "");
  const holdsList = (name: keyof State): boolean => Array.isArray(filters[name]);
  const oneOf = (name: keyof State): string => (holdsList(name) ? "" : (valuesOf(name)[0] ?? ""));
  const choose = (name: keyof State, value: string, options?: ChangeOptions): void => {
    const chosen = holdsList(name) ? [value].filter((one) => one !== "") : value;
    onChange({ [name]: chosen } as Partial<State>, options);
  };
  const apply = (form: HTMLFormElement): void => {
    const names = typed.map(({ name }) => name);
    const entered = Object.entries(fieldTexts(form, names)).map(([name, text]) => {
      if (!holdsList(name)) return [name, text];
      const input = form.elements.namedItem(name);
      if (input instanceof HTMLInputElement) input.value = "";
      return [name, [...new Set([...valuesOf(name), text])].filter((value) => value !== "")];
    });
    onChange(Object.fromEntries(entered) as Partial<State>);
  };
  const fields = (
    <>
      {typed.map(({ name, label, hint, type = "text", placeholder }) => (
        <Field key={name} label={label} hint={hint}>
          {(ids) => <TypedInput ids={ids} type={type} name={name} value={oneOf(name)} placeholder={placeholder} />}
        </Field>
      ))}
      <button type="submit">Apply</button>
    </>
  );
  return (
    <form
      className="stack tight filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      <div className="row wrap">
        {search !== undefined && (
          <SearchField
            label={search.label}
            placeholder={search.placeholder}
            value={oneOf(search.name)}
            onChange={(text) => choose(search.name, text, { replace: true })}
          />
        )}
        {choices.map((choice) => (
          <Choice
            key={choice.name}
            choice={choice}
            values={valuesOf(choice.name)}
            onChoose={(value) => choose(choice.name, value)}
          />
        ))}
        {children}
        {more === undefined && fields}
      </div>
      {more !== undefined && (
        <details open={inForce === undefined && typed.some(({ name }) => valuesOf(name).length > 0)}>
          <summary>{more}</summary>
          <div className="row wrap">{fields}</div>
        </details>
      )}
      {inForce}
    </form>
  );
}

interface ChoiceProps {
  readonly choice: FilterChoice<string>;
  readonly values: readonly string[];
  readonly onChoose: (value: string) => void;
}

/** One value or none. An address may contain several, and values that are not offered. */
function Choice({ choice: { label, any, options }, values, onChoose }: ChoiceProps) {
  const isSeveral = values.length > 1;
  const others = values.filter((value) => !options.some(([offered]) => offered === value));
  return (
    <Field label={label}>
      {(ids) => (
        <select
          {...ids}
          value={isSeveral ? SEVERAL : (values[0] ?? "")}
          onChange={(event) => onChoose(event.target.value)}
        >
          <option value="">{any}</option>
          {isSeveral && (
            <option value={SEVERAL} disabled>
              Several
            </option>
          )}
          {[...options, ...others.map((value) => [value, value] as const)].map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The value of the option "Several", which is not the value of any filter. */
const SEVERAL = " ";

interface TypedInputProps {
  readonly ids: FieldIds;
  readonly type: string;
  readonly name: string;
  /** The value in the address. */
  readonly value: string;
  readonly placeholder: string | undefined;
}

/** Follows the value in the address. The element is kept, so that Enter does not lose the focus. */
function TypedInput({ ids, type, value, ...attributes }: TypedInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.value = value;
  }, [value]);
  return (
    <input
      {...ids}
      {...attributes}
      ref={input}
      // A date field shows no time, which an address may contain.
      type={type === "date" && !/^(\d{4}-\d\d-\d\d)?$/.test(value) ? "text" : type}
      defaultValue={value}
      maxLength={LONGEST_TYPED}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

/** Characters. */
const LONGEST = 200;

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string | undefined;
  /** The current search text. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Searches during typing, after a short pause, and at once with Enter. */
function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // The address has changed in another way, such as by the back button.
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  const send = (): void => {
    if (typed === sent.current) return;
    sent.current = typed;
    onChange(typed);
  };
  const sendLater = useEffectEvent(send);
  useEffect(() => {
    const timer = setTimeout(() => sendLater(), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          type="search"
          value={typed}
          maxLength={LONGEST}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || isComposing(event)) return;
            // The surrounding form would send its other fields.
            event.preventDefault();
            send();
          }}
        />
      )}
    </Field>
  );
}
