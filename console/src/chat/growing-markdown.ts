/**
 * The blocks of a growing text: each step parses only the end again, since later text changes only the last blocks. The cost of an
 * answer is therefore linear.
 */
import { lexer, type Token } from "marked";

export interface MarkdownBlocks {
  /** The blocks of a text; cheap if it continues the previous text. A block with an unchanged identity has not changed. */
  readonly of: (text: string) => readonly Token[];
}

/** A definition sets the address of links anywhere in the text, so a text with one is parsed whole. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;
/** Blocks at the end that further text may change: the last one, and a list that it may continue. */
const OPEN_BLOCKS = 2;

export function createMarkdownBlocks(): MarkdownBlocks {
  let closed: readonly Token[] = [];
  /** The text of the closed blocks. */
  let read = "";
  return {
    of(text) {
      const isSimple = !DEFINITION.test(text);
      if (!isSimple || !text.startsWith(read)) [closed, read] = [[], ""];
      const open = lexer(text.slice(read.length));
      const blocks = [...closed, ...open];
      const starts = open.flatMap(({ type }, at) => (type === "space" ? [] : [at]));
      const newlyClosed = open.slice(0, starts.at(-OPEN_BLOCKS) ?? 0);
      const raw = newlyClosed.map((token) => token.raw).join("");
      // The lexer rewrites tabs and line ends of some texts; then the length of its blocks does not show how much was read.
      if (isSimple && text.startsWith(raw, read.length)) [closed, read] = [[...closed, ...newlyClosed], read + raw];
      return blocks;
    },
  };
}
