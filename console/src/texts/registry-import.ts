/** Words of the bulk import. */
import { grouped, plural } from "./number.ts";

export const importTexts = {
  title: "Import domains",
  lead: "Choose a CSV, JSON or NDJSON file with one domain in each row, object or line. A domain that fails does not stop the others.",
  needsAdmin: "An import needs a key with the scope registry:admin. Yours has none; what you send will be refused.",
  file: "File",
  drop: "Drop a file here, or choose one.",
  chosen: (name: string, size: string) => `${name}, ${size}`,
  template: "Save a CSV template",
  templateName: "domains-template.csv",
  recognised: "Recognised as",
  reading: "Reading the first rows…",
  paste: "Or paste lines",
  pasteLabel: "Lines",
  pasteName: "pasted-lines",
  name: "Name of the import",
  nameHint:
    "The name identifies the import. Under the same name, each line becomes one domain, however often you send it.",
  nameWrong: "Use 1 to 64 letters, digits, dots, dashes and underscores.",
  known: (lines: number) =>
    `This import has begun: ${grouped(lines)} of its lines are domains already and are left out.`,
  startAnother: "Start another import instead",
  likely: "The first domain of this file was imported before. Under another name, all its domains are created again.",
  likelyAs: (id: string) => `Imported as ${id}`,
  continueLikely: (id: string) => `Continue ${id}`,
  checkOnly: "Check only",
  start: "Import",
  continue: "Continue",
  stop: "Stop",
  loss: "The import that runs is stopped. What it has imported stays; the rest can be continued.",
  pasteLoss: "The lines that you have pasted are not imported yet. They are lost.",
  nothingChosen: "Choose a file or paste lines first.",
  phases: {
    running: "Importing…",
    waiting: {
      server: (seconds: number) => `The server is busy. The import continues in ${seconds} s.`,
      connection: (seconds: number) => `The connection was lost. The import tries again in ${seconds} s.`,
    },
    stopped: "Stopped. What was imported stays; the rest can be continued.",
    failed: "Interrupted. What was imported stays; the rest can be continued.",
    done: (created: number) =>
      created === 0
        ? "Done. No domain was created."
        : `Done. ${plural(created, "domain was", "domains were")} created.`,
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
    "Correct them in the file, each in its place, and import it again under the same name. Lines that are domains already stay as they are.",
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
    `Line ${grouped(line)} is not the one that was imported under this name, so this is another file, its lines or columns have changed, or its columns are assigned differently. Nothing was sent. Choose the file that the import began with, or give this one another name.`,
  serverFailed: (reason: string) => `The server could not store a line: ${reason} Continue when it can.`,
  nothingInFile: "The file has no lines, so there is nothing to import.",
  cutOff: "The answer was cut off. What it reported is done; continue to send the rest.",
  earlier: "Earlier imports",
  noEarlier: "There was no import yet.",
  earlierHint: "Choose one to continue it with its file.",
  older: "Older imports",
  newest: "Newest imports",

  mapping: {
    title: "Columns",
    hint: "Choose what each column fills. Empty cells are left out.",
    column: "Column",
    unnamed: (position: number) => `Column ${position}, without a name`,
    example: "First row",
    fills: "Fills",
    of: (column: string) => `What ${column} fills`,
    separated: (separator: string) => `The columns are separated by a ${separator}.`,
    nothing: "Leave out",
    ownName: (column: string) => `Metadata: ${column}`,
    members: {
      name: "Name",
      description: "Description",
      type: "Type",
      class: "Class",
      externalId: "External id",
      owner: "Owner (DID)",
      controllers: "Controllers (DIDs)",
      relayerNode: "Relayer node",
      validFrom: "Valid from",
      validUntil: "Valid until",
      metadata: "Metadata as JSON",
      credentials: "Credentials as JSON",
      accounts: "Accounts as JSON",
      document: "Document as JSON",
    },
    everyRow: { type: "Type of every row", class: "Class of every row" },
    everyRowHint: {
      type: "No column fills the type. Enter one for all rows, such as Project or asset/device.",
      class: "No column fills the class. Enter its DID for all rows.",
    },
    missing: {
      type: "Enter a type, or choose the column that has it.",
      class: "Enter a class, or choose the column that has it.",
    },
    twice: (member: string) => `Several columns fill ${member}. Choose one of them.`,
  },
};
