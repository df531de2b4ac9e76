/** The query as it stands in the form, to take elsewhere: as curl, fetch and Connect. */
import { CopyButton } from "../kit/copy-button.tsx";
import { queriesTexts as texts } from "../texts/queries.ts";
import { connectSample, curlSample, fetchSample } from "./code-samples.ts";
import type { Parameter, QueryPath } from "./gateway-catalogue.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import type { QueryForm } from "./query-form.ts";

export interface CopyAsProps {
  readonly form: QueryForm;
  readonly request: GatewayRequest;
  readonly parameters: readonly Parameter[];
  readonly query: QueryPath | undefined;
}

export function CopyAs({ form, request, parameters, query }: CopyAsProps) {
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
