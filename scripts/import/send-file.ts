/** Sends a file's lines to the registry, part by part, without what it has already. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Task } from "./arguments.ts";
import { countLines, fileParts, type FilePart } from "./file-parts.ts";
import type { Progress } from "./progress.ts";
import { answeredLines, Refusal, type RegistryClient } from "./registry-client.ts";

export type Sending = Extract<Task, { kind: "import" }>;

export interface Reports {
  readonly note: (line: string) => void;
  readonly progress: Progress;
}

export interface Sent {
  /** Lines of the file that were looked at, in this run or before. */
  readonly done: number;
  /** Lines of this run by what became of them. */
  readonly counts: Readonly<Record<Status, number>>;
  /** Members that the registry left out, each with the lines that have it. */
  readonly ignored: readonly IgnoredMember[];
}

export interface IgnoredMember {
  readonly name: string;
  readonly meant: string | undefined;
  readonly lines: number;
  readonly firstLine: number;
}

type Status = "created" | "existing" | "valid" | "failed";

interface Report {
  readonly line: number;
  readonly status: Status;
  readonly code?: string;
  readonly detail?: string;
  readonly ignored?: readonly string[];
  readonly didYouMean?: Readonly<Record<string, string>>;
  readonly summary?: unknown;
}

/** Codes of lines that failed for a reason of the server's: every later line would fail too. */
const serverFailures: ReadonlySet<string> = new Set(["storage_full", "unavailable", "internal"]);

/** Names of left-out members that are counted: a file of a foreign system may have any number. */
const MOST_IGNORED = 100;
/** Failing lines that are reported one by one; a report file has them all. */
const REPORTED_FAILURES = 20;

/** The server could not store lines, so the rest was not sent. */
export class Stopped extends Error {}

export async function sendFile(task: Sending, client: RegistryClient, { note, progress }: Reports): Promise<Sent> {
  const total = await countLines(task.file);
  const ranges = task.dryRun ? [] : await doneRanges(task.importId, client);
  const before = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  if (before > 0) note(`Import ${task.importId} goes on: ${before} lines are done`);
  const counts: Record<Status, number> = { created: 0, existing: 0, valid: 0, failed: 0 };
  const ignored = new Map<string, IgnoredMember>();
  const reports = task.reportFile === undefined ? undefined : openSync(task.reportFile, "w");
  let done = before;
  progress.show(done, total, 0);
  try {
    for await (const part of fileParts(task.file, doneIn(ranges))) {
      let refusal: string | undefined;
      for await (const { line, text } of reportsOf(task, part, client)) {
        if (reports !== undefined) writeSync(reports, `${text}\n`);
        counts[line.status] += 1;
        done += 1;
        noteIgnored(ignored, line);
        if (line.status === "failed" && counts.failed <= REPORTED_FAILURES) {
          note(`\nline ${line.line}: ${line.detail ?? line.code ?? "failed"}`);
        }
        if (serverFailures.has(line.code ?? "")) refusal ??= line.detail ?? line.code;
        progress.show(done, total, counts.failed);
      }
      if (refusal !== undefined) throw new Stopped(`${refusal}; the same command goes on where this one stopped`);
    }
  } finally {
    if (reports !== undefined) closeSync(reports);
  }
  if (counts.failed > REPORTED_FAILURES)
    note(`\n… and ${counts.failed - REPORTED_FAILURES} more; --report FILE writes them all`);
  return { done, counts, ignored: [...ignored.values()] };
}

function noteIgnored(
  known: Map<string, IgnoredMember>,
  { line: firstLine, ignored = [], didYouMean = {} }: Report,
): void {
  for (const name of ignored) {
    const { lines, ...first } = known.get(name) ?? { name, meant: didYouMean[name], lines: 0, firstLine };
    if (lines > 0 || known.size < MOST_IGNORED) known.set(name, { ...first, lines: lines + 1 });
  }
}

async function* reportsOf(
  { importId, dryRun }: Sending,
  { firstLine, lines }: FilePart,
  client: RegistryClient,
): AsyncGenerator<{ readonly line: Report; readonly text: string }> {
  if (lines.every((line) => line === "")) return;
  const query = new URLSearchParams({ firstLine: String(firstLine), ...(dryRun ? { dryRun: "true" } : {}) });
  const path = `/v1/imports/${importId}/lines?${query.toString()}`;
  const answer = await client({ method: "POST", path, body: lines.map((line) => `${line}\n`).join("") });
  let isWhole = false;
  for await (const text of answeredLines(answer)) {
    const line = JSON.parse(text) as Report;
    isWhole = line.summary !== undefined;
    if (!isWhole) yield { line, text };
  }
  if (!isWhole) throw new Refusal(answer.status, "the answer was cut off; the same command goes on where it ended");
}

interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** An import that the server does not know has no line done. */
async function doneRanges(importId: string, client: RegistryClient): Promise<readonly LineRange[]> {
  const ranges: LineRange[] = [];
  let after: number | null = 0;
  while (after !== null) {
    let answer: Response;
    try {
      answer = await client({ method: "GET", path: `/v1/imports/${importId}?after=${after}` });
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return [];
      throw error;
    }
    const page = (await answer.json()) as { readonly done: readonly LineRange[]; readonly nextAfter: number | null };
    ranges.push(...page.done);
    after = page.nextAfter;
  }
  return ranges;
}

/** For lines that are asked about in ascending order. */
export function doneIn(ranges: readonly LineRange[]): (line: number) => boolean {
  let at = 0;
  return (line) => {
    while ((ranges[at]?.to ?? Number.POSITIVE_INFINITY) < line) at += 1;
    return (ranges[at]?.from ?? Number.POSITIVE_INFINITY) <= line;
  };
}
