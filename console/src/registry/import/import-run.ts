/**
 * One run of an import: sends a file part by part, leaves out what is done, waits when the server asks for it, and reports each line.
 * It belongs to the page and not to a component, so it continues while somebody looks at another screen.
 */
import { api, authorizedFetch } from "../../api/api.ts";
import { ApiFailure, failureOfThrown, hasStatus } from "../../api/api-failure.ts";
import { pause } from "../../kit/pause.ts";
import { holdUnsaved } from "../../kit/unsaved.ts";
import { whenSignedOut } from "../../session/sign-out.ts";
import { importTexts } from "../../texts/registry-import.ts";
import { doneIn, fileParts, outermostDone, type FilePart, type LineRange } from "./file-parts.ts";
import { createLineGroups, type LineGroup } from "./line-groups.ts";
import { unknownMembers } from "./unknown-members.ts";

export type LineStatus = "created" | "existing" | "valid" | "failed";

export interface FailedLine {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

export interface ImportProgress {
  readonly importId: string;
  readonly file: File;
  readonly isCheck: boolean;
  readonly phase: "running" | "waiting" | "stopped" | "failed" | "done";
  /** Bytes of the file whose lines are reported. */
  readonly bytesRead: number;
  readonly counts: Readonly<Record<LineStatus | "skipped", number>>;
  /** The first of the lines that failed. */
  readonly failures: readonly FailedLine[];
  /** Why lines failed, each reason once. */
  readonly reasons: readonly LineGroup[];
  /** Members of the lines that were sent that the registry leaves out, each once. */
  readonly unknown: readonly LineGroup[];
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Seconds, while it waits. */
  readonly wait: number;
  /** Why it was interrupted. */
  readonly error: unknown;
}

/** Failed lines that are kept; with more, the file is wrong as a whole. */
const KEPT_FAILURES = 10_000;
/** Attempts of one part without a report of a line: the server asks to wait, fails, or cannot be reached for some three minutes. */
const ATTEMPTS = 10;
/** Seconds before the second attempt, for a server that does not say how long; each wait is twice the one before. */
const FIRST_WAIT = 2;
/** Seconds. */
const LONGEST_WAIT = 30;
/** Milliseconds between two states that are shown. */
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

// The import would use the next key that is entered, and show what the old key has read.
whenSignedOut(() => {
  stopImport();
  current = undefined;
  show();
});

export function isRunning(progress: ImportProgress | undefined): boolean {
  return progress?.phase === "running" || progress?.phase === "waiting";
}

/** Does nothing while another one runs. Settles when this one has ended, well or not. */
export async function startImport(importId: string, file: File, isCheck: boolean): Promise<void> {
  if (isRunning(current)) return;
  const abort = new AbortController();
  stopping = abort;
  const counts = { created: 0, existing: 0, valid: 0, failed: 0, skipped: 0 };
  reasons = createLineGroups();
  unknown = createLineGroups();
  current = {
    importId,
    file,
    isCheck,
    phase: "running",
    bytesRead: 0,
    counts,
    failures: [],
    reasons: [],
    unknown: [],
    startedAt: Date.now(),
    endedAt: undefined,
    wait: 0,
    error: undefined,
  };
  show();
  const release = holdUnsaved(importTexts.loss, true);
  try {
    const ranges = isCheck ? [] : await doneRanges(importId, abort.signal);
    if (ranges.length > 0) await expectSameFile(current, ranges, abort.signal);
    for await (const part of fileParts(file, doneIn(ranges), abort.signal)) {
      await sendPart(current, part, abort.signal);
      count("skipped", part.skipped);
      change({ bytesRead: part.bytesRead });
    }
    change({ phase: "done", bytesRead: file.size });
  } catch (error) {
    change(abort.signal.aborted ? { phase: "stopped" } : { phase: "failed", error });
  }
  release();
  change({ endedAt: Date.now() });
  clearTimeout(showing);
  showing = undefined;
  show();
}

/** What is left out is known by the numbers of its lines, so in another file the wrong ones would be. */
async function expectSameFile(
  { importId, file }: ImportProgress,
  ranges: readonly LineRange[],
  signal: AbortSignal,
): Promise<void> {
  for (const { number, text } of await outermostDone(file, doneIn(ranges), signal)) {
    if (text === "") throw mismatch(number);
    await patiently(signal, async () => {
      for await (const { code } of reportsOf(importId, { firstLine: number, lines: [text] }, true, signal))
        if (code === "idempotency_mismatch") throw mismatch(number);
    });
  }
}

function mismatch(line: number): ApiFailure {
  return new ApiFailure({ status: 409, code: "idempotency_mismatch", message: importTexts.otherFile(line) });
}

async function sendPart({ importId, isCheck }: ImportProgress, part: FilePart, signal: AbortSignal): Promise<void> {
  if (part.lines.every((line) => line === "")) return;
  for (const [at, line] of part.lines.entries())
    for (const name of unknownMembers(line)) unknown.add(name, part.firstLine + at);
  change({ unknown: unknown.list() });
  // A line that is sent again is reported again.
  const reported = new Set<number>();
  await patiently(signal, async (progressed) => {
    for await (const report of reportsOf(importId, part, isCheck, signal)) {
      const { status, line = 0 } = report;
      if (status === undefined || reported.has(line)) continue;
      reported.add(line);
      progressed();
      take(status, report);
    }
  });
}

type LineReport = Partial<FailedLine> & { readonly status?: LineStatus; readonly summary?: unknown };

/** Throws when the answer ends before its summary. */
async function* reportsOf(
  importId: string,
  { firstLine, lines }: Pick<FilePart, "firstLine" | "lines">,
  isCheck: boolean,
  signal: AbortSignal,
): AsyncGenerator<LineReport> {
  const body = lines.map((line) => `${line}\n`).join("");
  const query = new URLSearchParams({ firstLine: String(firstLine), ...(isCheck ? { dryRun: "true" } : {}) });
  const path = `${location.origin}/v1/imports/${encodeURIComponent(importId)}/lines?${query.toString()}`;
  const headers = { "Content-Type": "application/x-ndjson" };
  const response = await authorizedFetch(path, { method: "POST", body, signal, headers });
  let isWhole = false;
  for await (const text of linesOf(response)) {
    const report = JSON.parse(text) as LineReport;
    isWhole = report.summary !== undefined;
    yield report;
  }
  if (!isWhole) throw new ApiFailure({ status: 0, code: "cut_off", message: importTexts.cutOff });
}

function take(status: LineStatus, { line = 0, code = "", detail = "" }: Partial<FailedLine>): void {
  count(status, 1);
  if (status !== "failed" || current === undefined) return;
  reasons.add(detail === "" ? code : detail, line);
  change({ reasons: reasons.list() });
  if (current.failures.length >= KEPT_FAILURES) return;
  // One list that grows; what is shown of it is copied by `show`.
  (current.failures as FailedLine[]).push({ line, code, detail });
}

function count(name: LineStatus | "skipped", more: number): void {
  if (current === undefined) return;
  change({ counts: { ...current.counts, [name]: current.counts[name] + more } });
}

/**
 * Tries again while the server is busy or cannot be reached. A refusal ends the import.
 * @param send calls back when something was done, after which the attempts begin again.
 */
async function patiently(signal: AbortSignal, send: (progressed: () => void) => Promise<void>): Promise<void> {
  let attempt = 0;
  for (;;) {
    attempt += 1;
    try {
      return await send(() => {
        attempt = 1;
      });
    } catch (error) {
      const failure = failureOfThrown(error);
      if (signal.aborted || !failure.isPassing || attempt >= ATTEMPTS) throw error;
      const wait = failure.retryAfter ?? Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
      change({ phase: "waiting", wait });
      await pause(wait * 1_000, signal);
      signal.throwIfAborted();
      change({ phase: "running", wait: 0 });
    }
  }
}

/** An import that the server does not know has no line done. */
async function doneRanges(importId: string, signal: AbortSignal): Promise<readonly LineRange[]> {
  const ranges: LineRange[] = [];
  try {
    for (let after: number | null = 0; after !== null;) {
      const params: { path: { importId: string }; query: { after: number } } = { path: { importId }, query: { after } };
      const { data } = await api.GET("/v1/imports/{importId}", { params, signal });
      ranges.push(...(data?.done ?? []));
      after = data?.nextAfter ?? null;
    }
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
  }
  return ranges;
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const pieces = (rest + part.value).split("\n");
    rest = pieces.pop() ?? "";
    yield* pieces.filter((piece) => piece !== "");
  }
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
