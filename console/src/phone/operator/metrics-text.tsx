/** The metrics as Prometheus reads them. A plain link would carry no token, so the console asks for them. */
import { useState } from "react";
import { authorizedFetch } from "../../api/api.ts";
import { ErrorPanel } from "../../kit/error-panel.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";

export function MetricsText() {
  const [text, setText] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const load = async (): Promise<void> => {
    setFailure(undefined);
    try {
      const response = await authorizedFetch(`${location.origin}/api/ussd/ops/metrics`);
      setText(await response.text());
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <section className="card">
      <h2>{operatorTexts.metrics}</h2>
      <p className="muted">{operatorTexts.metricsLead}</p>
      <p>
        <button type="button" onClick={() => void load()}>
          {operatorTexts.showMetrics}
        </button>
      </p>
      {failure !== undefined && <ErrorPanel error={failure} onRetry={load} />}
      {text !== undefined && (
        <pre className="phone-metrics" tabIndex={0} role="region" aria-label={operatorTexts.metricsText}>
          {text}
        </pre>
      )}
    </section>
  );
}
