/** How far an import is: read of the file, lines by what became of them, the rate, the members that are left out, and why lines failed. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { ErrorPanel } from "../../kit/error-panel.tsx";
import { Icon } from "../../kit/icon.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { grouped } from "../../texts/number.ts";
import { importTexts } from "../../texts/registry-import.ts";
import { type ImportProgress, isRunning, startImport, stopImport } from "./import-run.ts";
import { type LineGroup, MOST_GROUPS } from "./line-groups.ts";

const names = Object.keys(importTexts.counts) as (keyof typeof importTexts.counts)[];
const PERCENT = 100;

export function ImportProgressCard({ progress }: { readonly progress: ImportProgress }) {
  const { phase, counts, source, bytesRead, importId, isCheck, startedAt, endedAt } = progress;
  const queries = useQueryClient();
  const running = isRunning(progress);
  useEffect(() => {
    if (!running) void queries.invalidateQueries({ queryKey: ["get", "/v1/imports"] });
    if (!running) void queries.invalidateQueries({ queryKey: ["get", "/v1/imports/{importId}"] });
  }, [running, queries]);
  const lines = counts.created + counts.existing + counts.valid + counts.failed;
  const seconds = ((endedAt ?? Date.now()) - startedAt) / 1_000;
  const isOver = phase === "stopped" || phase === "failed";
  const percent = phase === "done" ? PERCENT : Math.floor((bytesRead / Math.max(1, source.file.size)) * PERCENT);
  return (
    <section className="card" aria-labelledby="progress-heading">
      <div className="row spread wrap">
        <h2 id="progress-heading" className="wraps">
          {importId}
        </h2>
        {running && (
          <button type="button" onClick={stopImport}>
            {importTexts.stop}
          </button>
        )}
        {isOver && (
          <button type="button" className="primary" onClick={() => void startImport(importId, source, isCheck)}>
            {importTexts.continue}
          </button>
        )}
      </div>
      <p role="status">{phaseText(progress)}</p>
      <div className="row">
        <progress className="grow" max={PERCENT} value={percent} aria-label={importTexts.progress} />
        <span className="number nowrap">{importTexts.read(percent)}</span>
      </div>
      <ul className="row wrap counts">
        {names
          .filter((name) => counts[name] > 0)
          .map((name) => (
            <li key={name} className={name === "failed" ? "count-failed" : undefined}>
              <strong>{grouped(counts[name])}</strong> {importTexts.counts[name]}
            </li>
          ))}
        {seconds >= 1 && lines > 0 && <li className="muted">{importTexts.rate(Math.round(lines / seconds))}</li>}
      </ul>
      {phase === "failed" && <ErrorPanel error={progress.error} />}
      {!running && counts.created > 0 && (
        <p>
          <Link href="/registry">{importTexts.seeDomains}</Link>
        </p>
      )}
      {progress.unknown.length > 0 && <UnknownMembers unknown={progress.unknown} isCheck={isCheck} />}
      {counts.failed > 0 && <FailedLines progress={progress} />}
    </section>
  );
}

function phaseText({ phase, wait, waitReason, isCheck, counts, unknown }: ImportProgress): string {
  const { phases, checkPhases } = importTexts;
  if (phase === "waiting") return phases.waiting[waitReason](wait);
  if (phase !== "done") return isCheck ? checkPhases[phase] : phases[phase];
  if (names.every((name) => counts[name] === 0)) return importTexts.nothingInFile;
  const said = isCheck ? checkPhases.done : phases.done(counts.created);
  return unknown.length > 0 ? `${said} ${importTexts.unknown.count(unknown.length)}` : said;
}

interface UnknownMembersProps {
  readonly unknown: readonly LineGroup[];
  /** Nothing was imported yet. */
  readonly isCheck: boolean;
}

/** The members that an import leaves out: a warning, which forbids nothing. */
function UnknownMembers({ unknown, isCheck }: UnknownMembersProps) {
  const words = importTexts.unknown;
  return (
    <section className="notice warn" aria-label={words.title}>
      <Icon name="warning" />
      <div className="stack tight">
        <h3>{words.title}</h3>
        <p>{isCheck ? words.checked : words.imported}</p>
        {/* Scrolls by keyboard too. */}
        <ul className="failures" tabIndex={0} aria-label={words.title}>
          {unknown.map(({ name, count, first: [line = 0] }) => (
            <li key={name} className="wraps">
              <code>{name}</code>: {words.member(count, line)}
            </li>
          ))}
        </ul>
        {unknown.length === MOST_GROUPS && <p className="small">{words.more(MOST_GROUPS)}</p>}
      </div>
    </section>
  );
}

/** Why lines of an import failed: each reason once, with how many lines it stands for and the first of them, and a file of all. */
function FailedLines({ progress }: { readonly progress: ImportProgress }) {
  const { failures, reasons, counts, importId } = progress;
  const shown = reasons.reduce((sum, { count }) => sum + count, 0);
  const save = (): void => {
    const report = failures.map((line) => `${JSON.stringify(line)}\n`).join("");
    saveFile(importTexts.reportName(importId), "application/x-ndjson", report);
  };
  return (
    <div className="stack tight">
      <h3>{importTexts.failedTitle}</h3>
      <p className="muted small">{importTexts.failedHint}</p>
      {/* Scrolls by keyboard too. */}
      <div className="table-frame failures" tabIndex={0} role="group" aria-label={importTexts.failedTitle}>
        <table>
          <thead>
            <tr>
              <th scope="col">{importTexts.columns.lines}</th>
              <th scope="col">{importTexts.columns.reason}</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(({ name, count, first }) => (
              <tr key={name}>
                <td>{importTexts.lines(count, first)}</td>
                <td className="wraps">{name}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="row wrap">
        {counts.failed > shown && <span className="muted small">{importTexts.failedMore(shown, counts.failed)}</span>}
        <button type="button" className="small" onClick={save}>
          {importTexts.download}
        </button>
      </p>
    </div>
  );
}
