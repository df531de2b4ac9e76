/**
 * One run of an import: sends a file part by part, skips done lines, waits when the server asks for it or the connection is lost,
 * and reports each line. It belongs to the page and not to a component, so it continues while the user opens another screen.
 */
import {
  type DonePage,
  type LineRange,
  type LineReport,
  type LineStatus,
  type SentLines,
  doneIn,
  doneRanges,
  isServerFailure,
  lineReports,
  linesRequest,
} from "../../../../shared/import-lines.ts";
import { ApiFailure, hasStatus } from "../../api/api-failure.ts";
import { api, authorizedFetch } from "../../api/api.ts";
import { type Reading, fileItems } from "../../files/file-items.ts";
import { type FilePart, type ItemFault, fileParts, outermostDone } from "../../files/file-parts.ts";
import { FileProblem } from "../../files/file-problem.ts";
import { holdUnsaved } from "../../kit/leave-guard.tsx";
import { type WaitReason, patiently } from "../../kit/patiently.ts";
import { responseLines } from "../../kit/response-lines.ts";
import { whenSignedOut } from "../../session/sign-out.ts";
import { grouped } from "../../texts/number.ts";
import { fileTexts } from "../../texts/registry-files.ts";
import { fileChunks } from "./file-chunks.ts";
import { type LineGroup, createLineGroups } from "./line-groups.ts";
import { unknownMembers } from "./unknown-members.ts";

const otherFile = (line: number) =>
  `Line ${grouped(line)} differs from the line that was imported under this name: this is another file, its lines or columns have changed, or its columns are assigned differently. Nothing was sent. Choose the original file, or give this import another name.`;

export interface ImportSource {
  readonly file: File;
  readonly reading: Reading;
}

export interface ImportProgress {
  readonly importId: string;
  readonly source: ImportSource;
  readonly isCheck: boolean;
  readonly phase: "running" | "waiting" | "stopped" | "failed" | "done";
  /** Bytes of the file whose lines are reported. */
  readonly bytesRead: number;
  readonly counts: Readonly<Record<LineStatus | "skipped", number>>;
  /** The first failed lines. */
  readonly failures: readonly FailedLine[];
  /** Why lines failed, each reason once. */
  readonly reasons: readonly LineGroup[];
  /** The members of the sent lines that the registry ignores, each listed once. */
  readonly unknown: readonly LineGroup[];
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Seconds, during a wait. */
  readonly wait: number;
  readonly waitReason: WaitReason;
  /** Why it was interrupted. */
  readonly error: unknown;
}

/** Maximum failed lines kept; with more, the file is wrong as a whole. */
const KEPT_FAILURES = 10_000;
/** Milliseconds between two updates of the shown state. */
const SHOWN_EVERY = 100;

let current: ImportProgress | undefined;
let stopping: AbortController | undefined;
let reasons = createLineGroups();
let unknown = createLineGroups();
let showing: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function currentImport(): ImportProgress | undefined {
  return shown;
}

let shown: ImportProgress | undefined;

export function subscribeToImport(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function stopImport(): void {
  stopping?.abort();
}

// Otherwise the import would use the next key, and show data that the old key has read.
whenSignedOut(() => {
  stopImport();
  current = undefined;
  show();
});

export function isRunning(progress: ImportProgress | undefined): boolean {
  return progress?.phase === "running" || progress?.phase === "waiting";
}

/** Does nothing while another one runs. Settles when this one has ended, successfully or not. */
export async function startImport(importId: string, source: ImportSource, isCheck: boolean): Promise<void> {
  if (isRunning(current)) return;
  const abort = new AbortController();
  const { signal } = abort;
  stopping = abort;
  const { file, reading } = source;
  reasons = createLineGroups();
  unknown = createLineGroups();
  current = {
    importId,
    source,
    isCheck,
    phase: "running",
    bytesRead: 0,
    counts: { created: 0, existing: 0, valid: 0, failed: 0, skipped: 0 },
    failures: [],
    reasons: [],
    unknown: [],
    startedAt: Date.now(),
    endedAt: undefined,
    wait: 0,
    waitReason: "server",
    error: undefined,
  };
  show();
  const release = holdUnsaved(
    "The running import will stop. The imported domains are kept, and you can continue with the rest.",
    true,
  );
  const items = () => fileItems(fileChunks(file, signal), reading);
  try {
    const ranges = isCheck ? [] : await doneRanges(donePage(importId, signal));
    if (ranges.length > 0) await expectSameFile(current, ranges, signal);
    for await (const part of fileParts(items(), doneIn(ranges))) {
      for (const fault of part.faults) take("failed", failedRow(fault));
      await sendPart(current, part, signal);
      count("skipped", part.skipped);
      change({ bytesRead: part.bytesRead });
    }
    change({ phase: "done", bytesRead: file.size });
  } catch (error) {
    change(signal.aborted ? { phase: "stopped" } : { phase: "failed", error: said(error) });
  }
  release();
  change({ endedAt: Date.now() });
  clearTimeout(showing);
  showing = undefined;
  show();
}

/** A file's fault, in words. */
function said(error: unknown): unknown {
  return error instanceof FileProblem ? new Error(fileTexts.faults[error.fault](error.place)) : error;
}

function failedRow({ line, kind, column }: ItemFault): FailedLine {
  return { line, code: kind, detail: fileTexts.rowFaults[kind](column) };
}

/** Skipped lines are known by their numbers, so another file would skip the wrong ones. */
async function expectSameFile(
  { importId, source: { file, reading } }: ImportProgress,
  ranges: readonly LineRange[],
  signal: AbortSignal,
): Promise<void> {
  const items = fileItems(fileChunks(file, signal), reading);
  for (const { number, text } of await outermostDone(items, doneIn(ranges))) {
    if (text === "") throw new Error(otherFile(number));
    await sendLines({ importId, isDryRun: true, firstLine: number, lines: [text] }, signal, ({ code }) => {
      if (code === "idempotency_mismatch") throw new Error(otherFile(number));
    });
  }
}

async function sendPart({ importId, isCheck }: ImportProgress, part: FilePart, signal: AbortSignal): Promise<void> {
  const { firstLine, lines } = part;
  for (const [at, line] of lines.entries()) for (const name of unknownMembers(line)) unknown.add(name, firstLine + at);
  change({ unknown: unknown.list() });
  await sendLines({ importId, isDryRun: isCheck, firstLine, lines }, signal, (report) => {
    const { status, line, code = "", detail = "" } = report;
    take(status, { line, code, detail });
    if (isServerFailure(report)) throw new Error(`The server could not store a line: ${detail} Try to continue later.`);
  });
}

/** @param seconds 0 when the wait is over. */
function onWait(seconds: number, waitReason: WaitReason): void {
  change({ phase: seconds === 0 ? "running" : "waiting", wait: seconds, waitReason });
}

function take(status: LineStatus, { line, code, detail }: FailedLine): void {
  count(status, 1);
  if (status !== "failed" || current === undefined) return;
  reasons.add(detail === "" ? code : detail, line);
  change({ reasons: reasons.list() });
  if (current.failures.length >= KEPT_FAILURES) return;
  // One growing list; `show` copies the shown part.
  (current.failures as FailedLine[]).push({ line, code, detail });
}

function count(name: LineStatus | "skipped", more: number): void {
  if (current === undefined) return;
  change({ counts: { ...current.counts, [name]: current.counts[name] + more } });
}

function donePage(importId: string, signal: AbortSignal): (after: number) => Promise<DonePage | undefined> {
  return async (after) => {
    try {
      const params = { path: { importId }, query: { after } };
      return (await api.GET("/v1/imports/{importId}", { params, signal })).data;
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  };
}

function change(changed: Partial<ImportProgress>): void {
  if (current === undefined) return;
  current = { ...current, ...changed };
  showing ??= setTimeout(() => {
    showing = undefined;
    show();
  }, SHOWN_EVERY);
}

function show(): void {
  shown = current;
  for (const listener of listeners) listener();
}

interface FailedLine {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

/** @param take receives each line's report once, in the order of the lines, however often the part is sent. */
async function sendLines(sent: SentLines, signal: AbortSignal, take: (report: LineReport) => void): Promise<void> {
  const request = linesRequest(sent);
  if (request === undefined) return;
  const { path, body } = request;
  let [attempts, reported] = [0, 0];
  await patiently({ signal, onWait }, async (progressed) => {
    attempts += 1;
    const headers = { "Content-Type": "application/x-ndjson" };
    const response = await authorizedFetch(location.origin + path, { method: "POST", body, signal, headers });
    for await (const { report } of lineReports(responseLines(response), cutOff)) {
      const { line, status } = report;
      if (line <= reported) continue;
      reported = line;
      progressed();
      // Lines that were done before the import are not sent, so such a line was created by an attempt whose answer was lost.
      take(status === "existing" && attempts > 1 ? { ...report, status: "created" } : report);
    }
  });
}

function cutOff(): ApiFailure {
  return new ApiFailure({
    status: 0,
    code: "cut_off",
    message: "The response was cut off. The lines that it reported are done. Continue to send the rest.",
  });
}
