/**
 * Joins pieces of text and collapses white space: runs of spaces become one space, tabs separate cells, and runs of empty lines
 * become one. Each unit is read once.
 */

export interface TextLines {
  add(text: string): void;
  /** Whether there is more text than was wanted. */
  readonly isFull: boolean;
  text(): string;
}

/** `length`: how much text is wanted, UTF-16 units. */
export function createTextLines(length: number): TextLines {
  const parts: string[] = [];
  let collected = 0;
  let [spaces, tabs, lines] = [0, 0, 0];

  function push(part: string): void {
    parts.push(part);
    collected += part.length;
  }

  /** White space before a word; empty at the beginning. */
  function gap(): string {
    if (parts.length === 0) return "";
    if (lines > 0) return lines === 1 ? "\n" : "\n\n";
    return tabs > 0 ? "\t".repeat(Math.min(tabs, length)) : spaces > 0 ? " " : "";
  }

  return {
    add(text) {
      for (const [word, space, tab, line] of text.matchAll(/([ \u00a0]+)|(\t+)|(\n+)|[^ \u00a0\t\n]+/g)) {
        if (collected > length) return;
        spaces += space?.length ?? 0;
        tabs += tab?.length ?? 0;
        lines += line?.length ?? 0;
        if ((space ?? tab ?? line) !== undefined) continue;
        push(gap() + word);
        [spaces, tabs, lines] = [0, 0, 0];
      }
    },
    get isFull() {
      return collected > length;
    },
    text: () => parts.join("").trim(),
  };
}
