/**
 * Templates of recorded flows: `{name}` is a known value or, on a screen, a value that is captured there; `{...}` is
 * any text. Anyone can write a flow file, so no template may freeze a page: the time to compare grows with the pieces
 * of the template times the characters of the screen.
 */
const PLACEHOLDER = /\{(\.\.\.|[A-Za-z][A-Za-z0-9]*)\}/;
const ANYTHING = "...";

export type Values = ReadonlyMap<string, string>;

/** The names in a template, in order, without `{...}`. */
export function namesIn(template: string): readonly string[] {
  return segmentsOf(template).flatMap(({ name }) => (name === undefined || name === ANYTHING ? [] : [name]));
}

/** The template with its names replaced; a name without a value stays. */
export function fill(template: string, values: Values): string {
  return segmentsOf(template)
    .map(({ text, name }) => (name === undefined ? text : (values.get(name) ?? text)))
    .join("");
}

/** A template that matches exactly this text; text in braces becomes `{...}`. */
export function literal(text: string): string {
  return segmentsOf(text)
    .map(({ text, name }) => (name === undefined ? text : `{${ANYTHING}}`))
    .join("");
}

interface Segment {
  readonly text: string;
  readonly name?: string;
}

/** Every second part of the split is a name. */
function segmentsOf(template: string): readonly Segment[] {
  return template
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 0 ? { text: part } : { text: `{${part}}`, name: part }));
}

type Piece =
  | { readonly kind: "literal"; readonly text: readonly string[] }
  | { readonly kind: "anything" }
  /** At least one character of one line. */
  | { readonly kind: "name"; readonly name: string };

/** Maximum characters of a screen. */
const LONGEST_SCREEN = 2_000;
/** Maximum characters compared for templates that use an unknown name twice, which are the only ones that backtrack. */
const MAX_LOOKS = 1_000_000;

/**
 * The values of the template's unknown names on a screen, each as short as possible; undefined if it is another screen.
 */
export function match(template: string, screen: string, values: Values): Values | undefined {
  const text = Array.from(screen);
  const pieces = piecesOf(template, values);
  if (text.length > LONGEST_SCREEN || shortest(pieces) > text.length) return undefined;
  const rest = reachable(pieces, text);
  const found = new Map<string, string>();
  let looks = 0;
  const mayLook = (): boolean => looks <= MAX_LOOKS;

  function walk(index: number, from: number): boolean {
    const piece = pieces[index];
    if (piece === undefined) return from === text.length;
    const canEnd = (to: number): boolean => {
      looks += 1;
      return mayLook() && rest[index + 1]?.[to] === 1;
    };
    const goesOn = (to: number): boolean => canEnd(to) && walk(index + 1, to);
    if (piece.kind === "literal") return goesOn(from + piece.text.length);
    if (piece.kind === "anything") {
      for (let to = from; to <= text.length && mayLook(); to += 1) if (goesOn(to)) return true;
      return false;
    }
    const known = found.get(piece.name);
    if (known !== undefined) {
      const again = Array.from(known);
      looks += again.length;
      return startsWith(text, from, again) && goesOn(from + again.length);
    }
    for (let to = from + 1; to <= text.length && mayLook() && text[to - 1] !== "\n"; to += 1) {
      if (!canEnd(to)) continue;
      looks += to - from;
      found.set(piece.name, text.slice(from, to).join(""));
      if (walk(index + 1, to)) return true;
    }
    found.delete(piece.name);
    return false;
  }

  return rest[0]?.[0] === 1 && walk(0, 0) ? found : undefined;
}

function piecesOf(template: string, values: Values): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const { text, name } of segmentsOf(template)) {
    const literal = name === undefined ? text : values.get(name);
    if (literal !== undefined) {
      if (literal !== "") pieces.push({ kind: "literal", text: Array.from(literal) });
    } else if (name !== undefined && name !== ANYTHING) pieces.push({ kind: "name", name });
    else if (pieces.at(-1)?.kind !== "anything") pieces.push({ kind: "anything" });
  }
  return pieces;
}

/**
 * Minimum characters of a matching screen: if it is within the limit, there are at most twice as many pieces as
 * characters.
 */
function shortest(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, piece) => sum + (piece.kind === "literal" ? piece.text.length : Number(piece.kind === "name")),
    0,
  );
}

/** By piece and position: 1 if the pieces from this one on can match the rest of the text. */
function reachable(pieces: readonly Piece[], text: readonly string[]): readonly Uint8Array[] {
  let after = new Uint8Array(text.length + 1);
  after[text.length] = 1;
  const rows = [after];
  for (const piece of pieces.toReversed()) {
    const row = new Uint8Array(text.length + 1);
    for (let at = text.length; at >= 0; at -= 1) {
      if (piece.kind === "literal")
        row[at] = startsWith(text, at, piece.text) ? (after[at + piece.text.length] ?? 0) : 0;
      else if (piece.kind === "anything") row[at] = (after[at] ?? 0) | (row[at + 1] ?? 0);
      else row[at] = text[at] === "\n" ? 0 : (after[at + 1] ?? 0) | (row[at + 1] ?? 0);
    }
    rows.unshift(row);
    after = row;
  }
  return rows;
}

function startsWith(text: readonly string[], at: number, part: readonly string[]): boolean {
  return part.every((character, index) => text[at + index] === character);
}
