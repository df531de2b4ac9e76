/**
 * A growing Markdown text cut into blocks, so that only its last one is parsed again with each piece: parsing the whole of a long
 * reply 20 times a second keeps a phone busy. The blocks joined by "\n\n" are the text.
 */

/** A line that belongs to what is above it, also behind a blank line: a list's item, an indented line, a quote. */
const CONTINUES = /^(?:\s|[-*+]\s|\d+[.)]\s|>)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export function markdownBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let fence: string | undefined;
  for (const part of text.split("\n\n")) {
    const continues = fence !== undefined || (blocks.length > 0 && CONTINUES.test(part));
    if (continues) blocks.push(`${blocks.pop() ?? ""}\n\n${part}`);
    else blocks.push(part);
    fence = fenceBehind(part, fence);
  }
  return blocks;
}

/** The fence of code that is open after these lines. */
function fenceBehind(lines: string, open: string | undefined): string | undefined {
  let fence = open;
  for (const line of lines.split("\n")) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark === undefined) continue;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = undefined;
  }
  return fence;
}
