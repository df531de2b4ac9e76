/**
 * One request of an import (`POST /v1/imports/{importId}/lines`), the reports in its response, and the lines that are
 * already imported.
 */

export interface SentLines {
  readonly importId: string;
  readonly isDryRun: boolean;
  /** The number of the first line in the file, from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

export type LineStatus = "created" | "existing" | "valid" | "failed";

export interface LineReport {
  readonly line: number;
  readonly status: LineStatus;
  readonly code?: string;
  readonly detail?: string;
  /** Members that the registry ignored, and the names that they resemble. */
  readonly ignored?: readonly string[];
  readonly didYouMean?: Readonly<Record<string, string>>;
}

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Codes of lines that failed because of the server: every later line would fail too. */
const serverFailures: ReadonlySet<string | undefined> = new Set(["storage_full", "unavailable", "internal"]);

export function isServerFailure({ code }: Pick<LineReport, "code">): boolean {
  return serverFailures.has(code);
}

/** Undefined if no line is left to send; imported and blank lines are empty. */
export function linesRequest({ importId, isDryRun, firstLine, lines }: SentLines) {
  if (lines.every((line) => line === "")) return undefined;
  const query = new URLSearchParams({ firstLine: String(firstLine), ...(isDryRun ? { dryRun: "true" } : {}) });
  return {
    path: `/v1/imports/${encodeURIComponent(importId)}/lines?${query.toString()}`,
    body: lines.map((line) => `${line}\n`).join(""),
  };
}

/**
 * @param answer the lines of the response.
 * @param cutOff what to throw if the response ends before its summary; lines that it has reported are imported.
 */
export async function* lineReports(
  answer: AsyncIterable<string>,
  cutOff: () => Error,
): AsyncGenerator<{ readonly report: LineReport; readonly text: string }> {
  let isWhole = false;
  for await (const text of answer) {
    const report = JSON.parse(text) as LineReport & { readonly summary?: unknown };
    isWhole = report.summary !== undefined;
    if (!isWhole) yield { report, text };
  }
  if (!isWhole) throw cutOff();
}

export interface DonePage {
  readonly done: readonly LineRange[];
  readonly nextAfter: number | null;
}

/** @param page undefined for an import that the server does not know, which has no imported lines. */
export async function doneRanges(
  page: (after: number) => Promise<DonePage | undefined>,
): Promise<readonly LineRange[]> {
  const ranges: LineRange[] = [];
  for (let after: number | null = 0; after !== null;) {
    const next: DonePage | undefined = await page(after);
    ranges.push(...(next?.done ?? []));
    after = next?.nextAfter ?? null;
  }
  return ranges;
}

/** Whether a line is imported, for lines that are looked up in ascending order. */
export function doneIn(ranges: readonly LineRange[]): (line: number) => boolean {
  let at = 0;
  return (line) => {
    while ((ranges[at]?.to ?? Infinity) < line) at += 1;
    return (ranges[at]?.from ?? Infinity) <= line;
  };
}
