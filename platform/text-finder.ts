/**
 * Finds many texts in one pass, by the algorithm of Wu and Manber: a table says for three units how far the search may jump,
 * so that most units are never looked at, however many texts there are.
 */

export interface TextFinder {
  /** Whether there is nothing to find. */
  readonly isEmpty: boolean;
  /** The text with its replacement in place of each that was found: the first, and of several there the longest. */
  readonly replace: (text: string) => string;
}

/** Units that decide how far to jump. */
const BLOCK = 3;
const TABLE_SIZE = 8192;

/** `texts`, each to its replacement, are no shorter than `least`; one that ends with the searched text may be cut to that. */
export function createTextFinder(texts: ReadonlyMap<string, string>, least: number): TextFinder {
  const jumps = new Uint8Array(TABLE_SIZE).fill(least - BLOCK + 1);
  const candidates = new Map<number, string[]>();
  for (const text of [...texts.keys()].toSorted((one, other) => other.length - one.length)) {
    for (let end = BLOCK; end <= least; end += 1) {
      const block = blockBefore(text, end);
      jumps[block] = Math.min(jumps[block] ?? 0, least - end);
    }
    const block = blockBefore(text, least);
    candidates.set(block, [...(candidates.get(block) ?? []), text]);
  }

  function replace(text: string): string {
    let replaced = "";
    let kept = 0;
    let end = least;
    while (end <= text.length) {
      const block = blockBefore(text, end);
      const jump = jumps[block] ?? 0;
      const found = jump > 0 ? undefined : textAt(text, end - least, candidates.get(block) ?? []);
      if (found === undefined) {
        end += Math.max(1, jump);
        continue;
      }
      replaced += text.slice(kept, end - least) + (texts.get(found) ?? "");
      kept = end - least + found.length;
      end = kept + least;
    }
    return kept === 0 ? text : replaced + text.slice(kept);
  }

  return { isEmpty: texts.size === 0, replace };
}

/** One that is there whole, else one whose beginning is all that follows. */
function textAt(text: string, start: number, wanted: readonly string[]): string | undefined {
  return (
    wanted.find((each) => text.startsWith(each, start)) ??
    wanted.find((each) => start + each.length > text.length && each.startsWith(text.slice(start)))
  );
}

function blockBefore(text: string, end: number): number {
  const [first, second, third] = [text.charCodeAt(end - 3), text.charCodeAt(end - 2), text.charCodeAt(end - 1)];
  return (first * 1024 + second * 32 + third) & (TABLE_SIZE - 1);
}
