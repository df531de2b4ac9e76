/** Words of the bulk import. */
import { grouped } from "./number.ts";

export const importTexts = {
  title: "Import domains",
  lead: "One domain a line, as JSON (NDJSON): what the form of a new domain shows as JSON, and its owner. A line that fails stops no other.",
  needsAdmin: "An import needs a key with the scope registry:admin. Yours has none; what you send will be refused.",
  file: "File",
  drop: "Drop a file here, or choose one.",
  chosen: (name: string, size: string) => `${name}, ${size}`,
  paste: "Or paste lines",
  pasteLabel: "Lines",
  pasteName: "pasted-lines",
  name: "Name of the import",
  nameHint:
    "By its name an import is continued: a line is a domain once, however often it is sent under the same name.",
  nameWrong: "Use 1 to 64 letters, digits, dots, dashes and underscores.",
  known: (lines: number) =>
    `This import has begun: ${grouped(lines)} of its lines are domains already and are left out.`,
  startAnother: "Start another import instead",
  checkOnly: "Check only",
  start: "Import",
  continue: "Continue",
  stop: "Stop",
  loss: "The import that runs is stopped. What it has imported stays; the rest can be continued.",
  pasteLoss: "The lines that you have pasted are not imported yet. They are lost.",
  nothingChosen: "Choose a file or paste lines first.",
  phases: {
    running: "Importing…",
    waiting: (seconds: number) => `The server asks to wait ${seconds} s; it goes on by itself.`,
    stopped: "Stopped. What was imported stays; the rest can be continued.",
    failed: "Interrupted. What was imported stays; the rest can be continued.",
    done: "Done.",
  },
  checkPhases: {
    running: "Checking; nothing is stored…",
    stopped: "The check was stopped.",
    failed: "The check was interrupted.",
    done: "Checked. Nothing was stored.",
  },
  progress: "Progress of the import",
  read: (percent: number) => `${percent} %`,
  counts: {
    created: "created",
    valid: "valid",
    existing: "were there",
    skipped: "left out, done before",
    failed: "failed",
  },
  count: grouped,
  rate: (perSecond: number) => `${grouped(perSecond)} lines a second`,
  seeDomains: "See the newest domains",
  failedTitle: "Lines that failed",
  failedHint:
    "Mend them in the file and import it again under the same name: lines that are domains already are left alone.",
  failedMore: (shown: number, all: number) => `${grouped(shown)} of ${grouped(all)} are shown.`,
  download: "Save the report of failed lines",
  reportName: (id: string) => `${id}-failed.ndjson`,
  columns: { line: "Line", reason: "Reason" },
  cutOff: "The answer was cut off. What it reported is done; continue to send the rest.",
  earlier: "Earlier imports",
  noEarlier: "There was no import yet.",
  earlierHint: "Choose one to continue it with its file.",
  older: "Older imports",
  newest: "Newest imports",
};

/** @param bytes of a file. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let [size, unit] = [bytes, 0];
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${grouped(size, unit === 0 ? 0 : 1)} ${units[unit] ?? ""}`;
}
