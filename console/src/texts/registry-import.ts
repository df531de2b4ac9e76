/** Words of the bulk import. */
import { grouped, plural } from "./number.ts";

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
    waiting: (seconds: number) => `Waiting ${seconds} s for the server; the import continues by itself.`,
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
  rate: (perSecond: number) => `${grouped(perSecond)} lines a second`,
  seeDomains: "See the newest domains",
  failedTitle: "Lines that failed",
  failedHint:
    "Mend them in the file, each on its own line, and import it again under the same name: lines that are domains already are left alone.",
  failedMore: (shown: number, all: number) => `The reasons of ${grouped(shown)} of ${grouped(all)} lines are shown.`,
  download: "Save the report of failed lines",
  reportName: (id: string) => `${id}-failed.ndjson`,
  columns: { lines: "Lines", reason: "Reason" },
  /** @param first the numbers of the first of them. */
  lines: (count: number, first: readonly number[]) => {
    const numbers = first.map((line) => grouped(line)).join(", ");
    if (count === 1) return numbers;
    return `${grouped(count)} lines: ${numbers}${count > first.length ? ", …" : ""}`;
  },
  unknown: {
    title: "Members that the registry leaves out",
    count: (names: number) => `The registry leaves out ${plural(names, "member", "members")}.`,
    checked:
      "It does not know them, or sets them itself. The rest of their lines is imported. If a name is misspelt, correct it in the file first.",
    imported: "It does not know them, or sets them itself. The rest of their lines was imported.",
    member: (lines: number, first: number) =>
      lines === 1 ? `in line ${grouped(first)}` : `in ${grouped(lines)} lines, first in line ${grouped(first)}`,
    more: (names: number) => `Only the first ${grouped(names)} names are listed.`,
  },
  otherFile: (line: number) =>
    `Line ${grouped(line)} is not the one that was imported under this name, so this is another file, or lines were added or taken out. Nothing was sent. Choose the file that the import began with, or give this one another name.`,
  nothingInFile: "The file has no lines, so there is nothing to import.",
  cutOff: "The answer was cut off. What it reported is done; continue to send the rest.",
  earlier: "Earlier imports",
  noEarlier: "There was no import yet.",
  earlierHint: "Choose one to continue it with its file.",
  older: "Older imports",
  newest: "Newest imports",
};
