/**
 * A screen before it becomes a reply: its blocks, whether it has back and exit, and how the blocks are split into
 * pages. Nothing is lost and no option is split. Only render.ts knows the text around a page (message, `98. More`, `0.
 * Back`), so it decides what fits.
 */
import { graphemesOf, widthOf } from "../texts/characters.ts";

export interface Screen {
  /** The screen's name in logs, statistics and the index. */
  readonly id: string;
  /** Closes the session: one page, no keys. */
  readonly end?: true;
  /** Shown above the first page of a list; may be dropped. */
  readonly title?: string;
  readonly blocks: readonly Block[];
  /** The options in fewer words, for use below a message. */
  readonly compact?: readonly Block[];
  /** False if there is nothing to go back to: W, G, K. */
  readonly back: boolean;
  /** `*. Exit` on W; other numbered menus show it if there is room. */
  readonly exit: "always" | "where-it-fits" | "never";
  /** Prose ends with the truncation mark after this many pages. */
  readonly maxPages?: number;
  /** Information rather than a question or a choice: the last reply of a full session still shows it. */
  readonly informs?: true;
  /** Information that the caller sees nowhere else: it comes first on the last reply of a full session. */
  readonly vital?: Block;
}

/** Septets of a person's or a domain's name on a screen. */
export const NAME_WIDTH = 24;

/** Excludes `98. More`, `0. Back` and `*. Exit`. */
export function numberedKeys(screen: Screen): readonly string[] {
  return screen.blocks.flatMap((block) => (block.kind === "option" && /^[1-9]/.test(block.key) ? [block.key] : []));
}

export function line(text: string): Block {
  return { kind: "line", text };
}

export function option(key: string, label: string, detail?: string): Block {
  return detail === undefined ? { kind: "option", key, label } : { kind: "option", key, label, detail };
}

/** A menu: lines, then numbered options, then back and exit. */
export function menu(id: string, blocks: readonly Block[], rest: Partial<Screen> = {}): Screen {
  return { id, blocks, back: true, exit: "where-it-fits", ...rest };
}

/** A question to be answered with typed text: `0. Back` and possibly `00. Skip`, no other keys. */
export function prompt(id: string, blocks: readonly Block[], rest: Partial<Screen> = {}): Screen {
  return { id, blocks, back: true, exit: "never", ...rest };
}

export type Block =
  /** A line that is kept in one piece if possible. */
  | { readonly kind: "line"; readonly text: string }
  /** Breaks at word boundaries. */
  | { readonly kind: "prose"; readonly text: string }
  /** `key. label`, or `key. label: detail`. If it is too long for a page, the label is shortened, not the detail. */
  | { readonly kind: "option"; readonly key: string; readonly label: string; readonly detail?: string };

export interface Page {
  readonly text: string;
  /** The keys of the options on it. */
  readonly keys: readonly string[];
}

export interface Layout {
  /** Shown above the first page; dropped if the first block would not fit below it. */
  readonly title?: string;
  /** Whether a page can have this text. */
  readonly fits: (text: string, position: { readonly first: boolean; readonly last: boolean }) => boolean;
  /** Prose that exceeds this number of pages ends with `cutMark`; options remain. */
  readonly maxPages?: number;
  readonly cutMark?: string;
}

/** A unit that moves to a page as a whole. */
interface Piece {
  readonly text: string;
  /** The separator from the previous piece, unless a page begins with it. */
  readonly glue: "" | " " | "\n";
  readonly block: Block;
}

/** Always at least one page; an empty one if there are no blocks. */
export function paginate(blocks: readonly Block[], layout: Layout): readonly Page[] {
  let waiting = blocks.flatMap(piecesOf);
  const pages: Page[] = [];
  for (;;) {
    const first = pages.length === 0;
    let title = first ? layout.title : undefined;
    if (fitsAs(waiting, title, first, true, layout)) return [...pages, pageOf(waiting, title)];
    if (pages.length + 1 === layout.maxPages) return [...pages, lastPermitted(waiting, title, first, layout)];

    let count = howMany(waiting, title, first, layout);
    if (count === 0 && title !== undefined) {
      title = undefined;
      count = howMany(waiting, title, first, layout);
    }
    if (count === 0) {
      waiting = broken(waiting, first, layout);
      count = Math.max(1, howMany(waiting, title, first, layout));
    }
    pages.push(pageOf(waiting.slice(0, count), title));
    waiting = waiting.slice(count);
    if (waiting.length === 0) return pages;
  }
}

export function optionText({ key, label, detail }: Extract<Block, { kind: "option" }>): string {
  return `${key}. ${label}${detail === undefined ? "" : `: ${detail}`}`;
}

/**
 * Words with their leading separators. A number with a dot stays with the word before it, because alone it reads like
 * an option.
 */
function words(text: string): readonly { readonly glue: "" | " " | "\n"; readonly text: string }[] {
  return text
    .split(/(?=[ \n])(?! (?:\d+|\*)\.(?:\s|$))/u)
    .map((word) =>
      word.startsWith(" ") || word.startsWith("\n")
        ? { glue: word.startsWith(" ") ? (" " as const) : ("\n" as const), text: word.slice(1) }
        : { glue: "" as const, text: word },
    );
}

function piecesOf(block: Block, index: number): readonly Piece[] {
  const before = index === 0 ? "" : "\n";
  if (block.kind === "option") return [{ text: optionText(block), glue: before, block }];
  if (block.kind === "line") return [{ text: block.text, glue: before, block }];
  return words(block.text).map((word, at) => ({ ...word, glue: at === 0 ? before : word.glue, block }));
}

function joined(pieces: readonly Piece[], title: string | undefined): string {
  const text = pieces.map((piece, index) => (index === 0 ? piece.text : piece.glue + piece.text)).join("");
  if (title === undefined) return text;
  return pieces.length === 0 ? title : `${title}\n${text}`;
}

function pageOf(pieces: readonly Piece[], title: string | undefined): Page {
  return { text: joined(pieces, title), keys: keysOf(pieces) };
}

function keysOf(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap(({ block }) => (block.kind === "option" ? [block.key] : []));
}

function fitsAs(
  pieces: readonly Piece[],
  title: string | undefined,
  first: boolean,
  last: boolean,
  { fits }: Layout,
): boolean {
  return fits(joined(pieces, title), { first, last });
}

/** How many of the pieces fit a page that is not the last one. */
function howMany(pieces: readonly Piece[], title: string | undefined, first: boolean, layout: Layout): number {
  let count = 0;
  while (count < pieces.length && fitsAs(pieces.slice(0, count + 1), title, first, false, layout)) count += 1;
  return count;
}

/** Splits the first piece, which is longer than a page, into a part that fits and the rest. */
function broken(pieces: readonly Piece[], first: boolean, layout: Layout): Piece[] {
  const [piece, ...rest] = pieces;
  if (piece === undefined) return [];
  const fits = (text: string): boolean => layout.fits(text, { first, last: false });
  const { block } = piece;
  if (block.kind === "option") return [{ ...piece, text: shortened(block, fits) }, ...rest];
  if (block.kind === "line") {
    const singles = words(piece.text).map((word) => ({ ...word, block: { kind: "prose", text: word.text } as const }));
    const [head, ...tail] = singles;
    if (head !== undefined && tail.length > 0 && fits(head.text)) return [...singles, ...rest];
  }
  // A grapheme larger than a page is split by code point, at least one per page, so that the loop ends.
  for (const units of [graphemesOf(piece.text), Array.from(piece.text)]) {
    const head = longestStart(units, fits);
    if (head !== "") return split(piece, head, rest);
  }
  return split(piece, String.fromCodePoint(piece.text.codePointAt(0) ?? 0x20), rest);
}

function split(piece: Piece, head: string, rest: readonly Piece[]): Piece[] {
  const tail = piece.text.slice(head.length);
  const remains = { text: tail, glue: "", block: { kind: "prose", text: tail } } as const;
  return [{ ...piece, text: head }, ...(tail === "" ? [] : [remains]), ...rest];
}

function longestStart(units: readonly string[], fits: (text: string) => boolean): string {
  let start = "";
  for (const unit of units) {
    if (!fits(start + unit)) break;
    start += unit;
  }
  return start;
}

/** With `..` in the label; if even that is too long, without the detail. */
function shortened(block: Extract<Block, { kind: "option" }>, fits: (text: string) => boolean): string {
  const units = graphemesOf(block.label);
  const { detail: _, ...bare } = block;
  for (const option of block.detail === undefined ? [bare] : [block, bare]) {
    for (let kept = units.length; kept > 0; kept -= 1) {
      const label = `${units.slice(0, kept).join("").trimEnd()}..`;
      const text = optionText({ ...option, label });
      if (widthOf(label) > 2 && fits(text)) return text;
    }
  }
  return `${block.key}. ..`;
}

/** The page at which prose ends early: as many words as leave room for the mark and for every option after them. */
function lastPermitted(pieces: readonly Piece[], title: string | undefined, first: boolean, layout: Layout): Page {
  const options = pieces.filter(({ block }) => block.kind === "option");
  const prose = pieces.filter(({ block }) => block.kind !== "option");
  const mark = layout.cutMark ?? "";
  const closing = (kept: readonly Piece[]): string => {
    const text = `${joined(kept, title)}${mark === "" ? "" : ` ${mark}`}`.trim();
    return [text, ...options.map((piece) => piece.text)].join("\n");
  };
  let count = 0;
  const fits = (kept: readonly Piece[]): boolean => layout.fits(closing(kept), { first, last: true });
  while (count < prose.length && fits(prose.slice(0, count + 1))) count += 1;
  const [next] = prose.slice(count);
  if (count > 0 || next === undefined) return { text: closing(prose.slice(0, count)), keys: keysOf(options) };
  // One word longer than the page, such as an answer without spaces: its beginning.
  const text = longestStart(graphemesOf(next.text), (start) => fits([{ ...next, text: start }]));
  return { text: closing(text === "" ? [] : [{ ...next, text }]), keys: keysOf(options) };
}
