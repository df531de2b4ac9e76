/**
 * The visible text of an HTML page, approximately: without scripts, styles and tags, with the page's line breaks. It reads a stream
 * of tags and builds no tree, so that the work is linear in the length of any page.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { failure, success, type Result } from "../../../platform/result.ts";
import { SIZE_LIMITS } from "./media-type.ts";
import { decodedPieces } from "./read-text.ts";
import { createTextLines } from "./text-lines.ts";
import type { SlicedWork } from "./work-slices.ts";

const UNSEEN: ReadonlySet<string> = new Set("iframe math noscript object script style svg template".split(" "));
/** In these elements, a tag may close itself, as `<svg/>` does. */
const FOREIGN: ReadonlySet<string> = new Set(["math", "svg"]);
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
  ).split(" "),
);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);
/** Length of the previous piece that is kept, UTF-16 units: a tag's name or an entity may begin there. The longest known one is shorter. */
const CARRIED_LENGTH = 64;

/** `length`: how much text is wanted, UTF-16 units; the rest of a longer page is not read. */
export function* textOfHtml(mimetype: string, bytes: Uint8Array, length: number): SlicedWork<Result<string, string>> {
  if (bytes.byteLength > SIZE_LIMITS.html.bytes) return failure(SIZE_LIMITS.html.reason);
  const page = createPageReader(length);
  for (const piece of decodedPieces(mimetype, bytes)) {
    if (!piece.ok) return piece;
    page.write(piece.value);
    if (page.lines.isFull) break;
    yield;
  }
  page.end();
  return success(page.lines.text());
}

function createPageReader(length: number) {
  const lines = createTextLines(length);
  /** The text that the tokenizer may still refer to, and its position in the page. */
  let known = "";
  let knownStart = 0;
  /** The element that hides its content, and how many elements of its name are open. */
  let hiding = "";
  let depth = 0;
  let opened = "";

  const slice = (start: number, end: number): string =>
    known.slice(Math.max(0, start - knownStart), Math.max(0, end - knownStart));
  const nameAt = (start: number, end: number): string =>
    end - start > CARRIED_LENGTH ? "" : slice(start, end).toLowerCase();
  const add = (text: string): void => {
    if (depth === 0) lines.add(text);
  };

  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => add(slice(start, end)),
    ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
    onopentagname(start, end) {
      opened = nameAt(start, end);
      if (depth > 0) depth += opened === hiding ? 1 : 0;
      else if (UNSEEN.has(opened)) [hiding, depth] = [opened, 1];
      else if (BLOCKS.has(opened)) add("\n");
      else if (CELLS.has(opened)) add("\t");
    },
    onselfclosingtag() {
      if (FOREIGN.has(opened) && opened === hiding) depth -= 1;
    },
    onclosetag(start, end) {
      const name = nameAt(start, end);
      if (depth > 0) depth -= name === hiding ? 1 : 0;
      else if (BLOCKS.has(name)) add("\n");
    },
    onattribdata: ignore,
    onattribentity: ignore,
    onattribend: ignore,
    onattribname: ignore,
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onopentagend: ignore,
    onprocessinginstruction: ignore,
  };
  const tokenizer = new Tokenizer({}, callbacks);
  return {
    lines,
    write(piece: string): void {
      const carried = known.slice(-CARRIED_LENGTH);
      knownStart += known.length - carried.length;
      known = carried + piece;
      tokenizer.write(piece);
    },
    end: () => tokenizer.end(),
  };
}

function ignore(): void {}
