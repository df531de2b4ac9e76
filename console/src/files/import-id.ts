/** Names of imports. An import is continued by its name. */

/** A name for the import of a file: its own, in the characters that a name may have. */
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
