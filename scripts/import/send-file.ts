/** Sends a file's lines to the registry, part by part, without those that it already has. */
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { fileParts, firstItem, type FilePart } from "../../console/src/files/file-parts.ts";
import type { Reading } from "../../console/src/files/file-items.ts";
import { fileTexts } from "../../console/src/texts/registry-files.ts";
import {
  doneIn,
  doneRanges,
  isServerFailure,
  lineReports,
  linesRequest,
  type DonePage,
  type LineReport,
  type LineStatus,
} from "../../shared/import-lines.ts";
import type { Progress } from "./progress.ts";
import { countItems, itemsOf, readingOf } from "./read-file.ts";
import { answeredLines, RegistryRefusal, type RegistryClient } from "./registry-client.ts";
import type { Sending } from "./arguments.ts";

export interface Reports {
  readonly note: (line: string) => void;
  readonly progress: Progress;
}

export interface Sent {
  /** Lines of the file that were processed, in this run or before. */
  readonly done: number;
  /** Lines of this run by result. */
  readonly counts: Readonly<Record<LineStatus, number>>;
  /** Members that the registry ignored, each with its lines. */
  readonly ignored: readonly IgnoredMember[];
}

export interface IgnoredMember {
  readonly name: string;
  readonly meant: string | undefined;
  readonly lines: number;
  readonly firstLine: number;
}

/** Maximum counted names of ignored members: a foreign system's file may have any number. */
const MOST_IGNORED = 100;
/** Lines per request, the registry's maximum. */
const REQUEST_LINES = 1_000;

/** Failed lines that are reported one by one; a report file contains all of them. */
const REPORTED_FAILURES = 20;

/** Nothing more is sent: the server could not store lines, or the file was imported before. */
export class Stopped extends Error {}

export async function sendFile(task: Sending, client: RegistryClient, { note, progress }: Reports): Promise<Sent> {
  const reading = await readingOf(task);
  note(formatText(reading));
  const total = await countItems(task.file, reading);
  if (!task.isNamed && !task.dryRun) await expectNew(task, reading, client);
  const ranges = task.dryRun ? [] : await doneRanges(donePage(task.importId, client));
  const before = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  if (before > 0) note(`Continuing import ${task.importId}: ${before} lines are done`);
  const counts: Record<LineStatus, number> = { created: 0, existing: 0, valid: 0, failed: 0 };
  const ignored = new Map<string, IgnoredMember>();
  const reports = task.reportFile === undefined ? undefined : openSync(task.reportFile, "w");
  let done = before;
  progress.show(done, total, 0);
  try {
    for await (const part of fileParts(itemsOf(task.file, reading), doneIn(ranges), REQUEST_LINES)) {
      let refusal: string | undefined;
      for await (const { report, text } of reportsOf(task, part, client)) {
        if (reports !== undefined) writeSync(reports, `${text}\n`);
        counts[report.status] += 1;
        done += 1;
        noteIgnored(ignored, report);
        if (report.status === "failed" && counts.failed <= REPORTED_FAILURES) {
          progress.clear();
          note(`line ${report.line}: ${report.detail ?? report.code ?? "failed"}`);
        }
        if (isServerFailure(report)) refusal ??= report.detail ?? report.code;
        progress.show(done, total, counts.failed);
      }
      if (refusal !== undefined) throw new Stopped(`${refusal}; the same command continues where this one stopped`);
    }
  } finally {
    if (reports !== undefined) closeSync(reports);
  }
  if (counts.failed > REPORTED_FAILURES) {
    progress.clear();
    note(`… and ${counts.failed - REPORTED_FAILURES} more; --report FILE writes them all`);
  }
  return { done, counts, ignored: [...ignored.values()] };
}

function noteIgnored(
  known: Map<string, IgnoredMember>,
  { line: firstLine, ignored = [], didYouMean = {} }: LineReport,
): void {
  for (const name of ignored) {
    const { lines, ...first } = known.get(name) ?? { name, meant: didYouMean[name], lines: 0, firstLine };
    if (lines > 0 || known.size < MOST_IGNORED) known.set(name, { ...first, lines: lines + 1 });
  }
}

async function* reportsOf(
  { importId, dryRun }: Sending,
  { firstLine, lines, faults }: FilePart,
  client: RegistryClient,
): ReturnType<typeof lineReports> {
  for (const { line, kind, column } of faults) {
    const report: LineReport = { line, status: "failed", code: kind, detail: fileTexts.rowFaults[kind](column) };
    yield { report, text: JSON.stringify(report) };
  }
  const request = linesRequest({ importId, isDryRun: dryRun, firstLine, lines });
  if (request === undefined) return;
  const answer = await client({ method: "POST", path: request.path, body: request.body });
  const message = "the answer was cut off; the same command continues where it ended";
  yield* lineReports(answeredLines(answer), () => new RegistryRefusal(answer.status, message));
}

function donePage(importId: string, client: RegistryClient): (after: number) => Promise<DonePage | undefined> {
  return async (after) => {
    try {
      const answer = await client({ method: "GET", path: `/v1/imports/${importId}?after=${after}` });
      return (await answer.json()) as DonePage;
    } catch (error) {
      if (error instanceof RegistryRefusal && error.status === 404) return undefined;
      throw error;
    }
  };
}

function formatText(reading: Reading): string {
  const { formats } = fileTexts;
  return reading.kind === "csv" ? formats.csv(reading.mapping.columns.length) : formats[reading.kind];
}

/** Under another name, an already imported file would create its domains again. */
async function expectNew({ file, importId }: Sending, reading: Reading, client: RegistryClient): Promise<void> {
  const first = await firstItem(itemsOf(file, reading));
  if (first === undefined) return;
  const fingerprint = createHash("sha256").update(first.text).digest("hex");
  const answer = await client({ method: "GET", path: `/v1/imports?line=${first.number}&fingerprint=${fingerprint}` });
  const { data } = (await answer.json()) as {
    readonly data: readonly { readonly id: string; readonly createdAt: string }[];
  };
  const [newest] = data;
  if (newest === undefined || data.some(({ id }) => id === importId)) return;
  throw new Stopped(
    `the first domain of this file was imported as ${newest.id} on ${newest.createdAt}. Continue that import with --id ${newest.id}, or create the domains again with another --id`,
  );
}
