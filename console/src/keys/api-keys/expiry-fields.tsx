/** How long a new key is valid, with the day on which that ends. */
import { exactTime } from "../../kit/age.tsx";
import { Field } from "../../kit/field.tsx";
import { keysTexts } from "../../texts/keys.ts";
import { endOf, expiries, type KeyDraft } from "./key-draft.ts";

export interface ExpiryFieldsProps {
  readonly draft: KeyDraft;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

export function ExpiryFields({ draft, error, onChange }: ExpiryFieldsProps) {
  const { expiry, date } = draft;
  const end = endOf(draft, Date.now());
  return (
    <div className="stack tight">
      <Field label={keysTexts.expiry} hint={keysTexts.expiryHint} error={expiry === "date" ? undefined : error}>
        {(ids) => (
          <select
            {...ids}
            value={expiry}
            onChange={(event) => onChange({ expiry: expiries.find((each) => each === event.target.value) ?? expiry })}
          >
            {expiries.map((each) => (
              <option key={each} value={each}>
                {keysTexts.expiries[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {expiry === "date" && (
        <Field label={keysTexts.expiryDate} error={error}>
          {(ids) => (
            <input {...ids} type="date" value={date} onChange={(event) => onChange({ date: event.target.value })} />
          )}
        </Field>
      )}
      {end !== "" && (
        <p className="hint" role="status">
          {end === null ? keysTexts.endsNever : keysTexts.endsOn(exactTime(end))}
        </p>
      )}
    </div>
  );
}
