/** The query as a form: its path, its parameters and headers, and its actions. */
import type { SubmitEvent } from "react";
import { credentials } from "../api/api.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { Field } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorPanel, Skeleton } from "../kit/loaded.tsx";
import { useCredentials } from "../session/use-caller.ts";
import { queriesTexts as texts } from "../texts/queries.ts";
import { connectSample, curlSample, fetchSample } from "./code-samples.ts";
import type { ExampleQuery } from "./example-queries.ts";
import type { AccessKind, Parameter, QueryPath } from "./gateway-catalogue.ts";
import { type GatewayRequest, requestOf } from "./gateway-request.ts";
import { OpeningDetails } from "./opening-details.tsx";
import { ParameterFields } from "./parameter-fields.tsx";
import { PathCombobox } from "./path-combobox.tsx";
import { type FieldProblemKind, type QueryForm, formOfPath, formOfText } from "./query-form.ts";
import type { LoadedCatalogue } from "./use-catalogue.ts";

const accessKinds = {
  none: "Open",
  apiKey: "API key (X-API-Key)",
  bearer: "Bearer token",
  basic: "User and password",
};

const copyOf = (name: string) => `Copy as ${name}`;

export interface QueryCardProps {
  readonly form: QueryForm;
  readonly loaded: LoadedCatalogue;
  readonly parameters: readonly Parameter[];
  readonly problems: Readonly<Record<string, FieldProblemKind>>;
  readonly isPathMissing: boolean;
  readonly isAsking: boolean;
  /** Whether the answer requires a key. */
  readonly needsKey: boolean;
  readonly examples: readonly ExampleQuery[];
  readonly onChange: (form: QueryForm) => void;
  readonly onSubmit: (event: SubmitEvent) => void;
  readonly onSend: (form: QueryForm) => void;
  readonly onStop: () => void;
}

export function QueryCard(props: QueryCardProps) {
  const { form, loaded, parameters, problems, isPathMissing, isAsking, needsKey, examples } = props;
  const { onChange, onSubmit, onSend, onStop } = props;
  const { catalogue, state } = loaded;
  const query = catalogue.find(form.path, form.method);
  return (
    <form className="card" onSubmit={onSubmit} aria-labelledby="queries-request" noValidate>
      <h2 id="queries-request" className="hidden-visually">
        Query
      </h2>
      <PathCombobox
        paths={catalogue.paths}
        path={form.path}
        hint={
          state === "loading"
            ? "Loading the list of paths"
            : "Type part of a path or method name, or paste a path or a URL."
        }
        error={isPathMissing ? "Choose a path from the list, or type one, such as /ixo/entity." : undefined}
        onChoose={(choice) =>
          onChange(typeof choice === "string" ? formOfText(choice, form, catalogue) : formOfPath(choice, form))
        }
      />
      {(state === "failed" || state === "hidden") && (
        <p className="muted small">The list of paths is not available here. You can still type a path.</p>
      )}
      {state === "failed" && <ErrorPanel error={loaded.failure} onRetry={loaded.retry} />}
      {form.path === "" && examples.length > 0 && (
        <div className="stack tight">
          <h3>Examples</h3>
          <div className="row wrap">
            {examples.map((example) => (
              <button key={example.title} type="button" className="small" onClick={() => onSend(example.form)}>
                {example.title}
              </button>
            ))}
          </div>
        </div>
      )}
      {form.path !== "" && state !== "loading" && (
        <>
          {query === undefined && state === "ready" && (
            <p className="muted small">
              The gateway does not list this path, so it probably answers 404. You can still send it. Type part of a
              path, such as “claims”, to find a listed path.
            </p>
          )}
          {query !== undefined && (
            <p className="muted small">
              <code>{query.name}</code>
            </p>
          )}
          {query?.successor !== undefined && (
            <div className="notice">
              <Icon name="info" />
              <div className="stack tight">
                <p>
                  {
                    "This path is from an older release of the chain. It still works and returns the body of its successor:"
                  }{" "}
                  <code>{query.successor}</code>
                </p>
                <p>
                  <button
                    type="button"
                    className="small"
                    onClick={() => onChange({ ...form, path: query.successor ?? form.path })}
                  >
                    Use the current path
                  </button>
                </p>
              </div>
            </div>
          )}
          <ParameterFields
            parameters={parameters}
            values={form.values}
            problems={problems}
            onChange={(name, values) => onChange({ ...form, values: { ...form.values, [name]: values } })}
          />
          {(query?.takesBody === true || form.body !== "") && (
            <Field label="Body (JSON)">
              {(ids) => (
                <textarea
                  {...ids}
                  className="code"
                  rows={5}
                  spellCheck={false}
                  value={form.body}
                  onChange={(event) => onChange({ ...form, body: event.target.value })}
                />
              )}
            </Field>
          )}
          <HeaderFields
            form={form}
            problems={problems}
            needsKey={needsKey}
            onChange={(changed) => onChange({ ...form, ...changed })}
          />
        </>
      )}
      {form.path !== "" && state === "loading" && <Skeleton rows={3} />}
      <div className="row wrap">
        <button type="submit" className="primary" aria-disabled={isAsking}>
          Send
        </button>
        {isAsking && (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        )}
      </div>
      {form.path !== "" && state !== "loading" && (
        <CopyAs form={form} request={requestOf(form, parameters)} parameters={parameters} query={query} />
      )}
    </form>
  );
}

interface CopyAsProps {
  readonly form: QueryForm;
  readonly request: GatewayRequest;
  readonly parameters: readonly Parameter[];
  readonly query: QueryPath | undefined;
}

/** The form's query to copy: as curl, fetch and Connect. */
function CopyAs({ form, request, parameters, query }: CopyAsProps) {
  const samples = [
    ["curl", curlSample(request, location.origin)],
    ["fetch", fetchSample(request, location.origin)],
    ["Connect", connectSample(form, parameters, query)],
  ] as const;
  return (
    <div className="stack tight copy-as">
      <div className="row wrap">
        {samples.map(
          ([name, text]) => text !== undefined && <CopyButton key={name} text={text} label={copyOf(name)} showsLabel />,
        )}
      </div>
      <details>
        <summary>Show the code</summary>
        <div className="stack tight">
          {request.access !== "none" && <p className="muted small">Replace $API_KEY with your key.</p>}
          {samples.map(([name, text]) => (
            <section key={name} className="stack tight" aria-label={name}>
              <h3>{name}</h3>
              {text === undefined ? (
                <p className="muted small">
                  Connect needs a method that the gateway lists: choose a path from the list.
                </p>
              ) : (
                <pre tabIndex={0} role="region" aria-label={copyOf(name)}>
                  {text}
                </pre>
              )}
            </section>
          ))}
        </div>
      </details>
    </div>
  );
}

interface HeaderFieldsProps {
  readonly form: QueryForm;
  readonly problems: Readonly<Record<string, FieldProblemKind>>;
  /** Whether the answer requires a key. */
  readonly needsKey: boolean;
  readonly onChange: (changed: Partial<QueryForm>) => void;
}

const numbers = ["height", "deadline"] as const;
const kinds = Object.keys(accessKinds) as readonly AccessKind[];

/** The headers of a query as fields, and the key of a protected chain profile, which stays in this tab. */
function HeaderFields({ form, problems, needsKey, onChange }: HeaderFieldsProps) {
  const { gatewaySecret = "" } = useCredentials();
  const isUsed = form.height !== "" || form.deadline !== "" || form.access !== "none" || needsKey;
  return (
    <OpeningDetails summary="Headers and access" isUsed={isUsed}>
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
        <Field label="Access" hint="How you authenticate at a protected deployment.">
          {(ids) => (
            <select
              {...ids}
              value={form.access}
              onChange={(event) => onChange({ access: kinds.find((kind) => kind === event.target.value) ?? "none" })}
            >
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {accessKinds[kind]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {form.access !== "none" && (
          <Field
            label={form.access === "basic" ? "user:password" : "Key"}
            hint="The key stays in this tab. It never appears in a URL, in the history or in copied text."
          >
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
