/** The type of a new domain: one of the known ones with what it means, or any other; and the protocols that may be its class. */
import { useState } from "react";
import { apiHooks } from "../../api/api.ts";
import type { components } from "../../api/paths.d.ts";
import { Field } from "../../kit/field.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { formPageTexts } from "../../texts/registry-form.ts";

type DomainType = components["schemas"]["DomainType"];

const { labels, hints, defaultType, otherType } = formPageTexts;

interface TypeFieldProps {
  readonly value: unknown;
  readonly types: readonly DomainType[];
  readonly error?: string | undefined;
  readonly onChange: (type: string) => void;
}

export function TypeField({ value, types, error, onChange }: TypeFieldProps) {
  const text = typeof value === "string" ? value : "";
  const known = types.length === 0 ? [defaultType] : types.map(({ type }) => type);
  const [isOther, setIsOther] = useState(false);
  const showsOther = isOther || !known.includes(text);
  const description = types.find(({ type }) => type === text)?.description;
  return (
    <>
      <Field label={labels.type} hint={description ?? hints.type} error={showsOther ? undefined : error}>
        {(ids) => (
          <select
            value={showsOther ? "" : text}
            onChange={(event) => {
              setIsOther(event.target.value === "");
              onChange(event.target.value);
            }}
            {...ids}
          >
            {known.map((type) => (
              <option key={type} value={type}>
                {typeName(type)}
              </option>
            ))}
            <option value="">{otherType}</option>
          </select>
        )}
      </Field>
      {showsOther && (
        <Field label={labels.otherType} hint={hints.type} error={error}>
          {(ids) => (
            <input
              type="text"
              autoComplete="off"
              maxLength={64}
              value={text}
              onChange={(event) => onChange(event.target.value)}
              {...ids}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** Protocols that are suggested as classes. */
const SUGGESTED = 20;

export function ClassOptions({ types }: { readonly types: readonly DomainType[] }) {
  const protocols = types.map(({ type }) => type).filter((type) => /^protocol\b/i.test(type));
  const { data } = apiHooks.useQuery(
    "get",
    "/v1/domains",
    { params: { query: { type: protocols, status: ["active"], limit: SUGGESTED } } },
    { enabled: protocols.length > 0 },
  );
  return (
    <datalist id="class-options">
      {data?.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </datalist>
  );
}
