/** Each request as sent (PINs masked), its answer, its time, and a copy of it as curl. Newest first. */
import { Age } from "../kit/age.tsx";
import { Badge, type Tone } from "../kit/badge.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { curlText } from "../kit/curl-text.ts";
import { RequestId } from "../kit/loaded.tsx";
import type { FormattedRequest } from "../../../shared/gateway-formats.ts";
import type { LogEntry, Remark } from "./handset-state.ts";
import { MASK } from "./secret-input.ts";

const acts = { dial: "Dial", input: "Input", repeat: "Repeated", "hang-up": "Hung up", drop: "Line dropped" };

const remarksTexts = {
  same: "same reply",
  different: "different reply",
  "first-answer": "first reply",
  lost: "reply lost",
  held: "arrived late",
  unheard: "line was gone",
};

const tones: Readonly<Record<Remark, Tone>> = {
  same: "ok",
  different: "danger",
  "first-answer": "info",
  lost: "warn",
  held: "neutral",
  unheard: "warn",
};

export function RequestLog({ log }: { readonly log: readonly LogEntry[] }) {
  return (
    <div className="card">
      <h2>Requests</h2>
      {log.length === 0 ? (
        <p className="muted">Each request to the server appears here as it was sent, with its answer and duration.</p>
      ) : (
        <ol className="phone-log" reversed>
          {log.map((entry) => (
            <li key={entry.id}>
              <Entry entry={entry} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Entry({ entry }: { readonly entry: LogEntry }) {
  const { act, at, typed, request, answer, screen, remarks } = entry;
  return (
    <details>
      <summary>
        <span className="phone-log-head">
          <strong>{acts[act]}</strong>
          {typed !== "" && <code>{typed}</code>}
          {request !== undefined && <Outcome entry={entry} />}
          {screen !== undefined && <span className="phone-log-screen">{screen}</span>}
          {remarks.map((remark) => (
            <Badge key={remark} tone={tones[remark]}>
              {remarksTexts[remark]}
            </Badge>
          ))}
          <span className="muted small">
            <Age at={at} />
          </span>
        </span>
      </summary>
      <div className="stack tight phone-log-body">
        {request === undefined ? (
          <p>Nothing was sent: no message exists for this, so the server is not informed.</p>
        ) : (
          <>
            <h3>Request</h3>
            <pre tabIndex={0}>{rawText(request)}</pre>
            <p className="row wrap">
              <CopyButton text={curlOf(request)} label="Copy as curl" showsLabel />
              {rawText(request).includes(MASK) && <span className="muted small">PINs are replaced by _PIN_.</span>}
            </p>
          </>
        )}
        {answer !== undefined && (
          <>
            <h3>Answer</h3>
            <pre tabIndex={0}>{answer.text}</pre>
            {answer.requestId !== undefined && (
              <p>
                <RequestId id={answer.requestId} />
              </p>
            )}
          </>
        )}
      </div>
    </details>
  );
}

function Outcome({ entry: { answer, hasFailed = false } }: { readonly entry: LogEntry }) {
  if (answer === undefined)
    return <Badge tone={hasFailed ? "danger" : "neutral"}>{hasFailed ? "no answer" : "under way"}</Badge>;
  return (
    <>
      <Badge tone={answer.status === 200 ? "neutral" : "danger"}>{answer.status}</Badge>
      <span className="small number">{`${answer.milliseconds} ms`}</span>
    </>
  );
}

function rawText({ method, path, headers, body }: FormattedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...lines, ...(body === undefined ? [] : ["", body])].join("\n");
}

function curlOf({ method, path, headers, body }: FormattedRequest): string {
  return curlText({ method, url: `${location.origin}${path}`, headers, body });
}
