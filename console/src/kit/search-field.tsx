/** Searches while somebody types, after a short pause, and at once with Enter. */
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Field } from "./field.tsx";
import { isComposing } from "./is-composing.ts";
import { PAUSE } from "./use-settled.ts";

/** Characters. */
const LONGEST = 200;

export interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string | undefined;
  /** What is searched for now. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // It has changed by another way, such as the back button.
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
            // The form around it would send its other fields.
            event.preventDefault();
            send();
          }}
        />
      )}
    </Field>
  );
}
