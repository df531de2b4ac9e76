/** The filters that are used rarely, in a form of their own that adds all it holds at once. */
import type { SubmitEvent } from "react";
import { Field } from "../../kit/field.tsx";
import { fieldTexts } from "../../kit/field-texts.ts";
import { registryTexts } from "../../texts/registry.ts";
import { oneFilters, type ListState } from "./list-address.ts";

const texts = ["type", "class", "controller", "owner", "relayerNode", "externalId"] as const;

interface MoreFiltersProps {
  readonly state: ListState;
  readonly onChange: (changed: Partial<ListState>) => void;
}

export function MoreFilters({ state, onChange }: MoreFiltersProps) {
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const entered = fieldTexts(form, texts);
    const added = texts
      .filter((name) => entered[name] !== "" && !state[name].includes(entered[name]))
      .map((name) => [name, [...state[name], entered[name]]] as const);
    onChange({ ...Object.fromEntries(added), ...fieldTexts(form, oneFilters) });
    form.reset();
  };
  return (
    <details className="more-filters">
      <summary>{registryTexts.otherFilters}</summary>
      {/* What the address has of the times is what their fields begin with. */}
      <form className="stack" onSubmit={submit} key={oneFilters.map((name) => state[name]).join(" ")}>
        <div className="grid">
          {texts.map((name) => (
            <Field
              key={name}
              label={name === "type" ? registryTexts.anyType : registryTexts.filters[name]}
              hint={registryTexts.filterHints[name]}
            >
              {(ids) => (
                <input type="text" name={name} maxLength={512} spellCheck={false} autoComplete="off" {...ids} />
              )}
            </Field>
          ))}
          {oneFilters.map((name) => (
            <Field key={name} label={registryTexts.filters[name]}>
              {(ids) => (
                <input type={isDate(state[name]) ? "date" : "text"} name={name} defaultValue={state[name]} {...ids} />
              )}
            </Field>
          ))}
        </div>
        <p>
          <button type="submit">{registryTexts.applyFilters}</button>
        </p>
      </form>
    </details>
  );
}

/** A field for dates shows no time, which an address may hold. */
function isDate(value: string): boolean {
  return value === "" || /^\d{4}-\d\d-\d\d$/.test(value);
}
