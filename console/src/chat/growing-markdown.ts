/**
 * The blocks of a text that grows: each growth reads only the end again, since what comes later changes no block but the last ones. So an
 * answer costs by what is added to it, however long it is.
 */
import { lexer, type Token } from "marked";

export interface MarkdownBlocks {
  /** The blocks of a text, cheap if it continues the text of the call before; a block that is the same object has not changed. */
  readonly of: (text: string) => readonly Token[];
}

/** A definition names the address of links anywhere in the text, so a text with one is read whole. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;
/** Blocks at the end that the next words may still change: the last one, and a list that it may turn out to continue. */
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
      // The lexer rewrites tabs and line ends of some texts; then the length of its blocks does not say what was read.
      if (isSimple && text.startsWith(raw, read.length)) [closed, read] = [[...closed, ...newlyClosed], read + raw];
      return blocks;
    },
  };
}
