/** Texts about files of domains: their formats and faults. `npm run import` uses them too. */

const saveAsCsv = 'Save it as "CSV UTF-8" in your spreadsheet program, and choose that file.';

export const fileTexts = {
  formats: {
    ndjson: "NDJSON: one domain on each line.",
    json: "JSON: an array of domains, or domains over several lines.",
    csv: (columns: number) => `CSV: one domain in each row, ${columns} columns.`,
  },
  separators: { ",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar" },
  /** @param place the name of a column, or the number of a row or a domain. */
  faults: {
    empty: () => "The file is empty. Choose a file with at least one domain.",
    noText: () => "The file is not text. Choose a CSV, JSON or NDJSON file.",
    spreadsheet: () => `The file is a workbook or a ZIP archive. ${saveAsCsv}`,
    utf16: () => `The file is in UTF-16. ${saveAsCsv}`,
    notUtf8: () => `The file is not in UTF-8, so letters such as é would be wrong. ${saveAsCsv}`,
    oneColumn: () =>
      "The file contains no JSON and only one column. The first row of a CSV file must name at least two columns, separated by commas, semicolons or tabs. Save the template to see one.",
    manyColumns: () => "The first row has more than 500 columns. Delete the empty columns to the right of the table.",
    duplicateColumn: (place: string) => `Two columns have the name "${place}". Rename or delete one of them.`,
    openQuote: (place: string) =>
      `Row ${place} has a quote (") that is out of place or never closed, so the rows after it cannot be read. Correct that row. A quote inside a cell is written twice: "".`,
    cutOff: (place: string) =>
      `The file ends in the middle of domain ${place}, so it is not complete. Export or download it again.`,
    afterTheEnd: () => "Something follows the end of the JSON array. Put all domains into one array.",
  } satisfies Readonly<Record<string, (place: string) => string>>,
  gone: "The file cannot be opened. It was moved, deleted or changed. Choose it again.",
  /** Why a row cannot be sent. */
  rowFaults: {
    notJson: (column: string) => `The cell in column "${column}" is not valid JSON.`,
    notJsonObject: (column: string) => `The cell in column "${column}" is not a JSON object.`,
    tooManyCells: (column: string) => `The row has more cells than the ${column} columns that the first row names.`,
  },
};
