/** The recorded session: saves it as a flow file, shares it by a link, or opens and replays another one. */
import { useRef, useState } from "react";
import { Link } from "wouter";
import { useAnnounce } from "../kit/announcer.tsx";
import { Field } from "../kit/field.tsx";
import { saveFile } from "../kit/save-file.ts";
import { writeClipboard } from "../kit/write-clipboard.ts";
import { kitTexts } from "../texts/kit.ts";
import { plural } from "../texts/number.ts";
import { freshPhoneNumber } from "./dialled.ts";
import { type FlowFile, givenNames, stepsOf } from "../../../shared/flow-file.ts";
import { formatOf } from "../../../shared/gateway-formats.ts";
import type { Line } from "./handset-state.ts";
import type { Handset } from "./handset.ts";
import { ReplayPanel } from "./replay-panel.tsx";
import { PLAY_PARAMETER, askedNames, readSharedSteps, sharedSteps } from "./shared-session.ts";
import { useHandset } from "./use-handset.ts";

export interface SessionToolsProps {
  readonly handset: Handset;
  readonly line: Line;
  readonly shared: readonly string[];
  readonly onLine: (changed: Partial<Line>) => void;
  readonly onDismissShared: (() => void) | undefined;
}

interface OpenedFile {
  readonly name: string;
  readonly file: FlowFile;
}

export function SessionTools({ handset, line, shared, onLine, onDismissShared }: SessionToolsProps) {
  const { sessionId, steps, line: called, phase, log } = useHandset(handset);
  const announce = useAnnounce();
  const picker = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<OpenedFile>();
  const [problem, setProblem] = useState<string>();
  const played = readSharedSteps(shared);

  /** Undefined if it cannot be loaded; a message reports it. */
  const loadFlowFiles = async () => {
    try {
      return await import("./flow-file.ts");
    } catch {
      return setProblem("This could not be loaded. Check that you are online, then try again.");
    }
  };
  const save = async (): Promise<void> => {
    const flowFiles = await loadFlowFiles();
    if (flowFiles === undefined) return;
    setProblem(undefined);
    const { serviceCode, mode } = called ?? line;
    saveFile(
      "phone-session.yaml",
      "application/yaml",
      flowFiles.writeFlowFile("a session of the console", serviceCode, mode, steps),
    );
    announce("Saved as phone-session.yaml.");
  };
  const share = async (): Promise<void> => {
    const link = new URL(location.href);
    link.searchParams.delete(PLAY_PARAMETER);
    if (called !== undefined && called.serviceCode !== line.serviceCode)
      link.searchParams.set("code", called.serviceCode);
    for (const step of sharedSteps(steps)) link.searchParams.append(PLAY_PARAMETER, step);
    announce((await writeClipboard(link.href)) ? "The link was copied." : kitTexts.notCopied);
  };
  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const { name } = chosen;
    const flowFiles = await loadFlowFiles();
    if (flowFiles === undefined) return;
    const file = await flowFiles.readChosenFile(chosen);
    setProblem(typeof file === "string" ? `${name} cannot be read: ${file}` : undefined);
    setOpened(typeof file === "string" ? undefined : { name, file });
  };

  return (
    <div className="card">
      {played.length > 0 && (
        <ReplayPanel
          title="Shared session"
          lead="These steps were shared with you. Nothing has been sent yet."
          handset={handset}
          steps={played}
          asked={askedNames(played)}
          lineOf={() => line}
          onDismiss={onDismissShared}
        />
      )}
      {opened !== undefined && (
        <FlowReplay
          name={opened.name}
          file={opened.file}
          handset={handset}
          lineOf={() => {
            const { phone = freshPhoneNumber(), code = line.serviceCode, mode = "cumulative" } = opened.file;
            const fixed = formatOf(line.format).mode;
            const changed = { phoneNumber: phone, serviceCode: code, mode: fixed ?? mode };
            onLine(changed);
            return { ...line, ...changed };
          }}
          onDismiss={() => setOpened(undefined)}
        />
      )}
      <h2>Session</h2>
      {sessionId === undefined ? (
        <p className="muted">Nothing has been dialled yet.</p>
      ) : (
        <p className="row wrap">
          <span className="muted">Session id</span>
          <code className="phone-session-id">{sessionId}</code>
          {(phase === "live" || phase === "unanswered") && (
            <Link href={recordAddress(sessionId, called)}>Debug record</Link>
          )}
        </p>
      )}
      <div className="row wrap">
        <button type="button" disabled={steps.length === 0} onClick={() => void save()}>
          Save as a flow file
        </button>
        <button type="button" disabled={steps.length === 0} onClick={() => void share()}>
          Copy a link to it
        </button>
        <button type="button" onClick={() => picker.current?.click()}>
          Open a flow file
        </button>
        <button
          type="button"
          title="Clears the recorded steps and requests"
          disabled={steps.length + log.length === 0}
          onClick={handset.forget}
        >
          Start over
        </button>
        <input
          ref={picker}
          type="file"
          hidden
          accept=".yaml,.yml"
          aria-label="Open a flow file"
          onChange={(event) => {
            void open(event.target.files?.[0]);
            // Allows selecting a file again.
            event.target.value = "";
          }}
        />
      </div>
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      {steps.length > 0 && (
        <p className="hint">{`${plural(steps.length, "step", "steps")} recorded. The file and the link contain everything that was typed, including names, but no PIN. A replay asks for the PIN.`}</p>
      )}
    </div>
  );
}

function recordAddress(sessionId: string, line: Line | undefined): string {
  const provider = line === undefined ? undefined : formatOf(line.format).provider;
  const query = provider === undefined ? "" : `?provider=${provider}`;
  return `/phone/operator/sessions/${encodeURIComponent(sessionId)}${query}`;
}

interface FlowReplayProps {
  readonly name: string;
  readonly file: FlowFile;
  readonly handset: Handset;
  readonly lineOf: () => Line;
  readonly onDismiss: () => void;
}

/** The flows of an opened file: the selected one is replayed after those that it builds on. */
function FlowReplay({ name, file, handset, lineOf, onDismiss }: FlowReplayProps) {
  const [index, setIndex] = useState(0);
  const flow = file.flows[index];
  if (flow === undefined) return null;
  return (
    <ReplayPanel
      key={`${name} ${index}`}
      title={`Flow file ${name}`}
      handset={handset}
      steps={stepsOf(file, flow)}
      asked={givenNames(file, flow)}
      lineOf={lineOf}
      onDismiss={onDismiss}
    >
      {file.flows.length > 1 && (
        <Field label="Flow">
          {(ids) => (
            <select value={index} onChange={(event) => setIndex(Number(event.target.value))} {...ids}>
              {file.flows.map((flow, place) => (
                <option key={flow.name} value={place}>
                  {`${flow.name} (${plural(stepsOf(file, flow).length, "step", "steps")})`}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </ReplayPanel>
  );
}
