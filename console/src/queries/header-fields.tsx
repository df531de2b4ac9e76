/** The headers of a query as fields, and the key of a protected deployment, which stays in this tab. */
import { credentials } from "../api/api.ts";
import { Field } from "../kit/field.tsx";
import { useCredentials } from "../session/use-credentials.ts";
import { queriesTexts as texts } from "../texts/queries.ts";
import type { AccessKind } from "./gateway-catalogue.ts";
import { OpeningDetails } from "./opening-details.tsx";
import type { FieldProblemKind, QueryForm } from "./query-form.ts";

export interface HeaderFieldsProps {
  readonly form: QueryForm;
  readonly problems: Readonly<Record<string, FieldProblemKind>>;
  /** Whether the answer asks for a key. */
  readonly needsKey: boolean;
  readonly onChange: (changed: Partial<QueryForm>) => void;
}

const numbers = ["height", "deadline"] as const;
const kinds = Object.keys(texts.accessKinds) as readonly AccessKind[];

export function HeaderFields({ form, problems, needsKey, onChange }: HeaderFieldsProps) {
  const { gatewaySecret = "" } = useCredentials();
  const isUsed = form.height !== "" || form.deadline !== "" || form.access !== "none" || needsKey;
  return (
    <OpeningDetails summary={texts.headers} isUsed={isUsed}>
      <div className="parameter-grid">
        {numbers.map((name) => (
          <Field
            key={name}
            label={texts[name]}
            hint={texts[`${name}Hint`]}
            error={problems[name] === undefined ? undefined : texts.problems[problems[name]]}
          >
            {(ids) => (
              <input
                {...ids}
                type="text"
                inputMode="numeric"
                autoComplete="off"
                value={form[name]}
                onChange={(event) => onChange({ [name]: event.target.value.trim() })}
              />
            )}
          </Field>
        ))}
        <Field label={texts.access} hint={texts.accessHint}>
          {(ids) => (
            <select
              {...ids}
              value={form.access}
              onChange={(event) => onChange({ access: kinds.find((kind) => kind === event.target.value) ?? "none" })}
            >
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {texts.accessKinds[kind]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {form.access !== "none" && (
          <Field label={form.access === "basic" ? texts.basicSecret : texts.secret} hint={texts.secretHint}>
            {(ids) => (
              <input
                {...ids}
                type="password"
                autoComplete="off"
                spellCheck={false}
                value={gatewaySecret}
                onChange={(event) => credentials.save({ gatewaySecret: event.target.value })}
              />
            )}
          </Field>
        )}
      </div>
    </OpeningDetails>
  );
}
