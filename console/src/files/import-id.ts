/** Names of imports, with which an import can be resumed. */

/** A name for the import of a file: the file's name, limited to valid characters. */
export function importIdOf(fileName: string): string {
  const name = fileName.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  return name.slice(0, LONGEST_ID) || "import";
}

const LONGEST_ID = 64;

export function isImportId(id: string): boolean {
  return new RegExp(String.raw`^[\w.-]{1,${LONGEST_ID}}$`).test(id);
}

/** The name followed by a number that no known import has. */
export function freeImportId(id: string, known: ReadonlySet<string>): string {
  const stem = id.replace(/-\d+$/, "");
  for (let count = 2; ; count += 1) {
    const tail = `-${count}`;
    const candidate = `${stem.slice(0, LONGEST_ID - tail.length)}${tail}`;
    if (!known.has(candidate)) return candidate;
  }
}
