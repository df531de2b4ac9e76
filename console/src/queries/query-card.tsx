/** The query as a form: its path, its parameters and headers, and what can be done with it. */
import type { SubmitEvent } from "react";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { Field } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { queriesTexts as texts } from "../texts/queries.ts";
import { CopyAs } from "./copy-as.tsx";
import type { ExampleQuery } from "./example-queries.ts";
import type { Parameter } from "./gateway-catalogue.ts";
import { requestOf } from "./gateway-request.ts";
import { HeaderFields } from "./header-fields.tsx";
import { ParameterFields } from "./parameter-fields.tsx";
import { PathCombobox } from "./path-combobox.tsx";
import { formOfPath, formOfText, type FieldProblemKind, type QueryForm } from "./query-form.ts";
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
