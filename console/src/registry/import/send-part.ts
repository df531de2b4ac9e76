/** Sends one part of a file and reads its reports, again after a lost connection, until each line has exactly one report. */
import { authorizedFetch } from "../../api/api.ts";
import { ApiFailure } from "../../api/api-failure.ts";
import { patiently, type Waits } from "../../kit/patiently.ts";
import { responseLines } from "../../kit/response-lines.ts";
import { importTexts } from "../../texts/registry-import.ts";

export type LineStatus = "created" | "existing" | "valid" | "failed";

export interface FailedLine {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

export interface LineReport extends FailedLine {
  readonly status: LineStatus;
}

/** Codes of lines that failed for a reason of the server's: every later line would fail too. */
export const serverFailures: ReadonlySet<string> = new Set(["storage_full", "unavailable", "internal"]);

export interface SentLines extends Waits {
  readonly importId: string;
  readonly isCheck: boolean;
  readonly firstLine: number;
  readonly lines: readonly string[];
}

type Answered = Partial<LineReport> & { readonly summary?: unknown };

/** @param take gets each line's report once, in the order of the lines, however often the part is sent. */
export async function sendLines(sent: SentLines, take: (report: LineReport) => void): Promise<void> {
  const { importId, isCheck, firstLine, lines, signal } = sent;
  const query = new URLSearchParams({ firstLine: String(firstLine), ...(isCheck ? { dryRun: "true" } : {}) });
  const path = `${location.origin}/v1/imports/${encodeURIComponent(importId)}/lines?${query.toString()}`;
  const body = lines.map((line) => `${line}\n`).join("");
  let [attempts, reported] = [0, 0];
  await patiently(sent, async (progressed) => {
    attempts += 1;
    const headers = { "Content-Type": "application/x-ndjson" };
    const response = await authorizedFetch(path, { method: "POST", body, signal, headers });
    let isWhole = false;
    for await (const text of responseLines(response)) {
      const { status, line = 0, code = "", detail = "", summary } = JSON.parse(text) as Answered;
      isWhole = summary !== undefined;
      if (status === undefined || line <= reported) continue;
      reported = line;
      progressed();
      // What was done before the import is not sent, so an attempt whose answer was lost has created it.
      take({ status: status === "existing" && attempts > 1 ? "created" : status, line, code, detail });
    }
    if (!isWhole) throw new ApiFailure({ status: 0, code: "cut_off", message: importTexts.cutOff });
  });
}
