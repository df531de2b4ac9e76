/** The recorded session: saved as a flow file, shared by a link, or another one opened and replayed. */
import { useRef, useState } from "react";
import { Link } from "wouter";
import { useAnnounce } from "../kit/announcer.tsx";
import { saveFile } from "../kit/save-file.ts";
import { writeClipboard } from "../kit/write-clipboard.ts";
import { kitTexts } from "../texts/kit.ts";
import { phoneTexts } from "../texts/phone.ts";
import { freshPhoneNumber } from "./dialled.ts";
import type { FlowFile } from "./flow-tree.ts";
import { formatOf } from "../../../shared/gateway-formats.ts";
import type { Handset } from "./handset.ts";
import type { Line } from "./handset-state.ts";
import { FlowReplay } from "./flow-replay.tsx";
import { ReplayPanel } from "./replay-panel.tsx";
import { askedNames, PLAY_PARAMETER, readSharedSteps, sharedSteps } from "./shared-session.ts";
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

  /** Undefined when it cannot be loaded; then a message says so. */
  const loadFlowFiles = async () => {
    try {
      return await import("./flow-file.ts");
    } catch {
      return setProblem(kitTexts.notLoaded);
    }
  };
  const save = async (): Promise<void> => {
    const flowFiles = await loadFlowFiles();
    if (flowFiles === undefined) return;
    setProblem(undefined);
    const { serviceCode, mode } = called ?? line;
    saveFile(
      phoneTexts.fileName,
      "application/yaml",
      flowFiles.writeFlowFile(phoneTexts.flowName, serviceCode, mode, steps),
    );
    announce(phoneTexts.saved(phoneTexts.fileName));
  };
  const share = async (): Promise<void> => {
    const link = new URL(location.href);
    link.searchParams.delete(PLAY_PARAMETER);
    if (called !== undefined && called.serviceCode !== line.serviceCode)
      link.searchParams.set("code", called.serviceCode);
    for (const step of sharedSteps(steps)) link.searchParams.append(PLAY_PARAMETER, step);
    announce((await writeClipboard(link.href)) ? phoneTexts.shared : kitTexts.notCopied);
  };
  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const { name } = chosen;
    const flowFiles = await loadFlowFiles();
    if (flowFiles === undefined) return;
    const file = await flowFiles.readChosenFile(chosen);
    setProblem(typeof file === "string" ? phoneTexts.fileRefused(name, file) : undefined);
    setOpened(typeof file === "string" ? undefined : { name, file });
  };

  return (
    <div className="card">
      {played.length > 0 && (
        <ReplayPanel
          title={phoneTexts.sharedTitle}
          lead={phoneTexts.sharedLead}
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
      <h2>{phoneTexts.session}</h2>
      {sessionId === undefined ? (
        <p className="muted">{phoneTexts.noSession}</p>
      ) : (
        <p className="row wrap">
          <span className="muted">{phoneTexts.sessionId}</span>
          <code className="phone-session-id">{sessionId}</code>
          {(phase === "live" || phase === "unanswered") && (
            <Link href={recordAddress(sessionId, called)}>{phoneTexts.debugRecord}</Link>
          )}
        </p>
      )}
      <div className="row wrap">
        <button type="button" disabled={steps.length === 0} onClick={() => void save()}>
          {phoneTexts.save}
        </button>
        <button type="button" disabled={steps.length === 0} onClick={() => void share()}>
          {phoneTexts.share}
        </button>
        <button type="button" onClick={() => picker.current?.click()}>
          {phoneTexts.open}
        </button>
        <button
          type="button"
          title={phoneTexts.forgetHint}
          disabled={steps.length + log.length === 0}
          onClick={handset.forget}
        >
          {phoneTexts.forget}
        </button>
        <input
          ref={picker}
          type="file"
          hidden
          accept=".yaml,.yml"
          aria-label={phoneTexts.open}
          onChange={(event) => {
            void open(event.target.files?.[0]);
            // The same file may be chosen again.
            event.target.value = "";
          }}
        />
      </div>
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      {steps.length > 0 && <p className="hint">{`${phoneTexts.recorded(steps.length)} ${phoneTexts.shareHint}`}</p>}
    </div>
  );
}

function recordAddress(sessionId: string, line: Line | undefined): string {
  const provider = line === undefined ? undefined : formatOf(line.format).provider;
  const query = provider === undefined ? "" : `?provider=${provider}`;
  return `/phone/operator/sessions/${encodeURIComponent(sessionId)}${query}`;
}
