/** The progress of an import: the part of the file read, lines by result, the rate, ignored members, and why lines failed. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { Icon } from "../../kit/icon.tsx";
import { ErrorPanel } from "../../kit/loaded.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { grouped, plural } from "../../texts/number.ts";
import { type ImportProgress, isRunning, startImport, stopImport } from "./import-run.ts";
import { type LineGroup, MOST_GROUPS } from "./line-groups.ts";

const phases = {
  running: "Importing…",
  waiting: {
    server: (seconds: number) => `The server is busy. The import continues in ${seconds} s.`,
    connection: (seconds: number) => `The connection was lost. The import tries again in ${seconds} s.`,
  },
  stopped: "Stopped. The imported domains are kept, and you can continue with the rest.",
  failed: "Interrupted. The imported domains are kept, and you can continue with the rest.",
  done: (created: number) =>
    created === 0 ? "Done. No domain was created." : `Done. ${plural(created, "domain was", "domains were")} created.`,
};

const checkPhases = {
  running: "Checking; nothing is stored…",
  stopped: "The check was stopped.",
  failed: "The check was interrupted.",
  done: "Checked. Nothing was stored.",
};

const countsTexts = {
  created: "created",
  valid: "valid",
  existing: "already existed",
  skipped: "skipped (already imported)",
  failed: "failed",
};

const columns = { lines: "Lines", reason: "Reason" };

/** @param first the numbers of the first of them. */
const linesText = (count: number, first: readonly number[]) => {
  const numbers = first.map((line) => grouped(line)).join(", ");
  if (count === 1) return numbers;
  return `${grouped(count)} lines: ${numbers}${count > first.length ? ", …" : ""}`;
};

const unknownTexts = {
  title: "Fields that the registry ignores",
  count: (names: number) => `The registry ignores ${plural(names, "field", "fields")}.`,
  checked:
    "They are unknown, or only the registry sets them. The rest of each line is imported. If a name is misspelt, correct it in the file first.",
  imported: "They are unknown, or only the registry sets them. The rest of each line was imported.",
  member: (lines: number, first: number) =>
    lines === 1 ? `in line ${grouped(first)}` : `in ${grouped(lines)} lines, first in line ${grouped(first)}`,
  more: (names: number) => `Only the first ${grouped(names)} names are listed.`,
};

const names = Object.keys(countsTexts) as (keyof typeof countsTexts)[];
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
            Stop
          </button>
        )}
        {isOver && (
          <button type="button" className="primary" onClick={() => void startImport(importId, source, isCheck)}>
            Continue
          </button>
        )}
      </div>
      <p role="status">{phaseText(progress)}</p>
      <div className="row">
        <progress className="grow" max={PERCENT} value={percent} aria-label="Progress of the import" />
        <span className="number nowrap">{`${percent} %`}</span>
      </div>
      <ul className="row wrap counts">
        {names
          .filter((name) => counts[name] > 0)
          .map((name) => (
            <li key={name} className={name === "failed" ? "count-failed" : undefined}>
              <strong>{grouped(counts[name])}</strong> {countsTexts[name]}
            </li>
          ))}
        {seconds >= 1 && lines > 0 && (
          <li className="muted">{`${grouped(Math.round(lines / seconds))} lines per second`}</li>
        )}
      </ul>
      {phase === "failed" && <ErrorPanel error={progress.error} />}
      {!running && counts.created > 0 && (
        <p>
          <Link href="/registry">See the newest domains</Link>
        </p>
      )}
      {progress.unknown.length > 0 && <UnknownMembers unknown={progress.unknown} isCheck={isCheck} />}
      {counts.failed > 0 && <FailedLines progress={progress} />}
    </section>
  );
}

function phaseText({ phase, wait, waitReason, isCheck, counts, unknown }: ImportProgress): string {
  if (phase === "waiting") return phases.waiting[waitReason](wait);
  if (phase !== "done") return isCheck ? checkPhases[phase] : phases[phase];
  if (names.every((name) => counts[name] === 0)) return "The file has no lines, so there is nothing to import.";
  const said = isCheck ? checkPhases.done : phases.done(counts.created);
  return unknown.length > 0 ? `${said} ${unknownTexts.count(unknown.length)}` : said;
}

interface UnknownMembersProps {
  readonly unknown: readonly LineGroup[];
  /** Nothing was imported yet. */
  readonly isCheck: boolean;
}

/** The members that an import ignores: a warning, which prevents nothing. */
function UnknownMembers({ unknown, isCheck }: UnknownMembersProps) {
  const words = unknownTexts;
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

/** Why lines of an import failed: each reason once, with the number of lines and the first of them, and a file of all. */
function FailedLines({ progress }: { readonly progress: ImportProgress }) {
  const { failures, reasons, counts, importId } = progress;
  const shown = reasons.reduce((sum, { count }) => sum + count, 0);
  const save = (): void => {
    const report = failures.map((line) => `${JSON.stringify(line)}\n`).join("");
    saveFile(`${importId}-failed.ndjson`, "application/x-ndjson", report);
  };
  return (
    <div className="stack tight">
      <h3>Lines that failed</h3>
      <p className="muted small">
        Correct these lines in place and import the file again under the same name. Lines that are already domains do
        not change.
      </p>
      {/* Scrolls by keyboard too. */}
      <div className="table-frame failures" tabIndex={0} role="group" aria-label="Lines that failed">
        <table>
          <thead>
            <tr>
              <th scope="col">{columns.lines}</th>
              <th scope="col">{columns.reason}</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(({ name, count, first }) => (
              <tr key={name}>
                <td>{linesText(count, first)}</td>
                <td className="wraps">{name}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="row wrap">
        {counts.failed > shown && (
          <span className="muted small">{`Reasons are shown for ${grouped(shown)} of ${grouped(counts.failed)} lines.`}</span>
        )}
        <button type="button" className="small" onClick={save}>
          Save the report of failed lines
        </button>
      </p>
    </div>
  );
}
