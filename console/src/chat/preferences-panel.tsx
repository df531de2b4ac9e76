/**
 * The user's preferences for answers, and sentences that change them: they are changed by talking, as `GET /user-preferences` is
 * read-only.
 */
import { useState, type SyntheticEvent } from "react";
import { Age } from "../kit/age.tsx";
import { Fact } from "../kit/fact.tsx";
import { Field } from "../kit/field.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import type { PanelProps } from "./panel-props.ts";
import { useOracleQuery } from "./use-oracle.ts";

type Preferences = Readonly<Record<string, string>>;
type Sayable = keyof typeof words.sentences;

const words = chatTexts.preferences;
const fields = Object.entries(words.fields);
const sayable = Object.keys(words.sentences) as Sayable[];

export function PreferencesPanel({ onSay }: PanelProps) {
  const query = useOracleQuery<Preferences>("/user-preferences");
  return (
    <div className="stack">
      <p className="muted">{words.lead}</p>
      <Loaded query={query}>
        {(preferences) => (
          <dl className="facts">
            {fields.map(([name, label]) => (
              <Fact key={name} name={label}>
                {preferences[name] ?? <span className="muted">{words.notSet}</span>}
              </Fact>
            ))}
            {preferences["updatedAt"] !== undefined && (
              <Fact name={words.changed}>
                <Age at={preferences["updatedAt"]} />
              </Fact>
            )}
          </dl>
        )}
      </Loaded>
      <ChangeForm onSay={onSay} />
    </div>
  );
}

function ChangeForm({ onSay }: Pick<PanelProps, "onSay">) {
  const [what, setWhat] = useState<Sayable>("userName");
  const [value, setValue] = useState("");
  const sentence = words.sentences[what](value.trim() === "" ? words.placeholder : value.trim());
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (value.trim() === "") return;
    onSay(sentence);
    setValue("");
  };
  return (
    <form className="card" onSubmit={submit}>
      <h2>{words.changeTitle}</h2>
      <Field label={words.what}>
        {(ids) => (
          <select
            {...ids}
            value={what}
            onChange={({ target }) => {
              setWhat(sayable.find((name) => name === target.value) ?? "userName");
              setValue("");
            }}
          >
            {sayable.map((name) => (
              <option key={name} value={name}>
                {words.fields[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={words.value} hint={words.valueHint(sentence)}>
        {(ids) =>
          what === "formality" ? (
            <select {...ids} value={value} onChange={({ target }) => setValue(target.value)}>
              <option value="">{words.choose}</option>
              {words.formalities.map((formality) => (
                <option key={formality}>{formality}</option>
              ))}
            </select>
          ) : (
            <input {...ids} type="text" value={value} onChange={({ target }) => setValue(target.value)} />
          )
        }
      </Field>
      <button type="submit" aria-disabled={value.trim() === ""}>
        {words.ask}
      </button>
      <p className="muted small">{words.remove}</p>
    </form>
  );
}
