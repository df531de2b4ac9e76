/** The lines of a simple phone's display: limited to its width, broken at blanks if there are any. Pure. */

/** Characters per line on most callers' phones. */
export const DISPLAY_COLUMNS = 26;

export function screenLines(body: string, columns = DISPLAY_COLUMNS): readonly string[] {
  return body.split("\n").flatMap((line) => folded(line, columns));
}

function folded(line: string, columns: number): readonly string[] {
  const parts: string[] = [];
  let rest = Array.from(line);
  while (rest.length > columns) {
    const blank = rest.slice(0, columns + 1).lastIndexOf(" ");
    parts.push(rest.slice(0, blank > 0 ? blank : columns).join(""));
    rest = rest.slice(blank > 0 ? blank + 1 : columns);
  }
  return [...parts, rest.join("")];
}
