/** The query as a form: its path, its parameters and headers, and what can be done with it. */
import type { SubmitEvent } from "react";
import { credentials } from "../api/api.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { Field } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { useCredentials } from "../session/use-credentials.ts";
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

export interface QueryCardProps {
  readonly form: QueryForm;
  readonly loaded: LoadedCatalogue;
  readonly parameters: readonly Parameter[];
  readonly problems: Readonly<Record<string, FieldProblemKind>>;
  readonly isPathMissing: boolean;
  readonly isAsking: boolean;
  /** Whether the answer asks for a key. */
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
        {texts.request}
      </h2>
      <PathCombobox
        paths={catalogue.paths}
        path={form.path}
        hint={state === "loading" ? texts.pathsLoading : texts.pathHint}
        error={isPathMissing ? texts.missingPath : undefined}
        onChoose={(choice) =>
          onChange(typeof choice === "string" ? formOfText(choice, form, catalogue) : formOfPath(choice, form))
        }
      />
      {(state === "failed" || state === "hidden") && <p className="muted small">{texts.pathsFailed}</p>}
      {state === "failed" && <ErrorPanel error={loaded.failure} onRetry={loaded.retry} />}
      {form.path === "" && examples.length > 0 && (
        <div className="stack tight">
          <h3>{texts.examples}</h3>
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
          {query === undefined && state === "ready" && <p className="muted small">{texts.notListed}</p>}
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
                  {texts.legacyPath} <code>{query.successor}</code>
                </p>
                <p>
                  <button
                    type="button"
                    className="small"
                    onClick={() => onChange({ ...form, path: query.successor ?? form.path })}
                  >
                    {texts.useSuccessor}
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
            <Field label={texts.body}>
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
          {texts.send}
        </button>
        {isAsking && (
          <button type="button" onClick={onStop}>
            {texts.stop}
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

/** The query as it stands in the form, to take elsewhere: as curl, fetch and Connect. */
function CopyAs({ form, request, parameters, query }: CopyAsProps) {
  const samples = [
    [texts.curl, curlSample(request, location.origin)],
    [texts.fetch, fetchSample(request, location.origin)],
    [texts.connect, connectSample(form, parameters, query)],
  ] as const;
  return (
    <div className="stack tight copy-as">
      <div className="row wrap">
        {samples.map(
          ([name, text]) =>
            text !== undefined && <CopyButton key={name} text={text} label={texts.copyOf(name)} showsLabel />,
        )}
      </div>
      <details>
        <summary>{texts.showCode}</summary>
        <div className="stack tight">
          {request.access !== "none" && <p className="muted small">{texts.placeholderHint}</p>}
          {samples.map(([name, text]) => (
            <section key={name} className="stack tight" aria-label={name}>
              <h3>{name}</h3>
              {text === undefined ? (
                <p className="muted small">{texts.noConnect}</p>
              ) : (
                <pre tabIndex={0} role="region" aria-label={texts.copyOf(name)}>
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
  /** Whether the answer asks for a key. */
  readonly needsKey: boolean;
  readonly onChange: (changed: Partial<QueryForm>) => void;
}

const numbers = ["height", "deadline"] as const;
const kinds = Object.keys(texts.accessKinds) as readonly AccessKind[];

/** The headers of a query as fields, and the key of a protected deployment, which stays in this tab. */
function HeaderFields({ form, problems, needsKey, onChange }: HeaderFieldsProps) {
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
