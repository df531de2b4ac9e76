/** Steps to replay: listed before anything is sent, played on request, with the differences from the recording. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { PlayStep } from "../../../shared/flow-player.ts";
import { Badge } from "../kit/badge.tsx";
import { Field } from "../kit/field.tsx";
import { pause } from "../../../shared/pause.ts";
import { plural } from "../texts/number.ts";
import { type PlayResult, describedSteps, playSteps } from "./flow-player.ts";
import type { Line } from "./handset-state.ts";
import type { Handset } from "./handset.ts";

export interface ReplayPanelProps {
  readonly title: string;
  /** Shown until something is sent. */
  readonly lead?: string;
  readonly handset: Handset;
  readonly steps: readonly PlayStep[];
  /** Names whose values are entered first, such as a PIN. */
  readonly asked: readonly string[];
  /** The phone that plays them, selected at the press. */
  readonly lineOf: () => Line;
  readonly onDismiss: (() => void) | undefined;
  /** The selection before the steps were opened. */
  readonly children?: ReactNode;
}

export function ReplayPanel({ title, lead, handset, steps, asked, lineOf, onDismiss, children }: ReplayPanelProps) {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [current, setCurrent] = useState<number>();
  const [result, setResult] = useState<PlayResult>();
  const player = useRef<AbortController>(undefined);
  const isRunning = current !== undefined && result === undefined;
  const listed = useMemo(() => describedSteps(steps.slice(0, LISTED)), [steps]);
  const isReady = asked.every((name) => (values.get(name) ?? "") !== "");
  useEffect(() => () => player.current?.abort(), []);

  const play = async (): Promise<void> => {
    if (isRunning || !isReady) return;
    player.current = new AbortController();
    setResult(undefined);
    setCurrent(0);
    const { signal } = player.current;
    setResult(await playSteps(handset, steps, { line: lineOf(), values, signal, wait: pause, onStep: setCurrent }));
  };

  return (
    <section className="stack tight phone-replay" aria-label={title}>
      <h2>{title}</h2>
      {lead !== undefined && current === undefined && <p className="muted">{lead}</p>}
      {children}
      {asked.map((name) => (
        <Field key={name} label={/^pin\d*$/.test(name) ? `PIN to use as {${name}}` : `Value of {${name}}`}>
          {(ids) => (
            <input
              type={/pin/i.test(name) ? "password" : "text"}
              autoComplete="off"
              value={values.get(name) ?? ""}
              onChange={(event) => setValues(new Map(values).set(name, event.target.value))}
              {...ids}
            />
          )}
        </Field>
      ))}
      <details open={steps.length <= SHORT}>
        <summary>Steps</summary>
        <ol className="phone-steps">
          {listed.map((typed, index) => (
            <li key={index} aria-current={index === current && isRunning ? "step" : undefined}>
              {steps[index]?.kind === "dial"
                ? typed === ""
                  ? "Dial"
                  : `Dial with ${typed} after the code`
                : typed === ""
                  ? "Send nothing"
                  : `Send ${typed}`}{" "}
              <StepState index={index} current={current} result={result} />
            </li>
          ))}
        </ol>
        {steps.length > LISTED && (
          <p className="muted">{`and ${plural(steps.length - LISTED, "more step", "more steps")}`}</p>
        )}
      </details>
      <div className="row wrap">
        <button type="button" className="primary" aria-disabled={!isReady || isRunning} onClick={() => void play()}>
          Replay
        </button>
        {isRunning && (
          <button type="button" onClick={() => player.current?.abort()}>
            Stop
          </button>
        )}
        {onDismiss !== undefined && !isRunning && (
          <button type="button" className="ghost" onClick={onDismiss}>
            Close
          </button>
        )}
      </div>
      <div role="status">{result !== undefined && <Result result={result} steps={steps} />}</div>
    </section>
  );
}

/** Up to this many steps, the list is open. */
const SHORT = 12;
/** Maximum listed steps: a file may have tens of thousands. */
const LISTED = 200;

interface StepStateProps {
  readonly index: number;
  readonly current: number | undefined;
  readonly result: PlayResult | undefined;
}

function StepState({ index, current, result }: StepStateProps) {
  if (current === undefined || index > current) return null;
  if (index < current || result?.kind === "done") return <Badge tone="ok">done</Badge>;
  if (result === undefined) return <Badge tone="info">running</Badge>;
  return result.kind === "different" ? <Badge tone="danger">different</Badge> : null;
}

function Result({ result, steps }: { readonly result: PlayResult; readonly steps: readonly PlayStep[] }) {
  if (result.kind === "done") {
    const isRecorded = steps.some(({ expect }) => expect !== undefined);
    return (
      <p>{isRecorded ? `All ${steps.length} steps went as recorded.` : `All ${steps.length} steps were replayed.`}</p>
    );
  }
  if (result.kind === "stopped") return <p>{`Stopped at step ${result.index + 1}.`}</p>;
  return (
    <div className="stack tight">
      <p>{`Step ${result.index + 1} showed a different screen.`}</p>
      <h3>Recorded</h3>
      <pre tabIndex={0}>{result.expected}</pre>
      <h3>Received</h3>
      <pre tabIndex={0}>{result.received}</pre>
    </div>
  );
}
