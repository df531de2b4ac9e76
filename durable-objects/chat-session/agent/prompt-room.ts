/**
 * How much text a model can be given, and how texts that are too long for it are cut. Long ones give way first: each
 * text keeps an equal share of the room, and what short ones leave over goes to the long ones. Sizes are UTF-16 units.
 */

/** Characters of a token, low enough for most languages in Latin script. */
const CHARACTERS_PER_TOKEN = 3;
/** The part of the window that texts may fill; the rest is for instructions, tools and the answer. */
const TEXT_SHARE = 3 / 4;

/** How many characters of question, past and tool results fit a model's window. */
export function promptRoom(contextTokens: number): number {
  return Math.floor(contextTokens * CHARACTERS_PER_TOKEN * TEXT_SHARE);
}

/** A rough count for texts whose model does not say what they cost. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The greatest size that every text may have so that all fit the room together; Infinity when they do as they are. */
export function fairSize(sizes: readonly number[], room: number): number {
  const ascending = sizes.toSorted((one, other) => one - other);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Infinity;
}

/** The text with its middle left out and a note in its place, at most `size` long. */
export function cutText(text: string, size: number): string {
  if (text.length <= size) return text;
  const note = `\n[${text.length - size} or more characters left out]\n`;
  const kept = Math.max(0, size - note.length);
  const head = Math.ceil((kept * 2) / 3);
  const tail = kept - head;
  return `${withoutHalf(text.slice(0, head), "end")}${note}${withoutHalf(text.slice(text.length - tail), "start")}`.slice(
    0,
    Math.max(size, 0),
  );
}

/** A cut may run through a surrogate pair; the half that is left means nothing. */
function withoutHalf(text: string, at: "start" | "end"): string {
  return at === "end" ? text.replace(/[\uD800-\uDBFF]$/, "") : text.replace(/^[\uDC00-\uDFFF]/, "");
}
