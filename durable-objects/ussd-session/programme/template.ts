/**
 * A text with placeholders, parsed once: `{name}`, `{name?text without a value}` and `{name|one|many}`. A value is inserted as it
 * is: placeholders inside it have no meaning.
 */
import { failure, success, type Result } from "../../../platform/result.ts";

export type Piece =
  | string
  | {
      readonly name: string;
      /** Used if there is no value. */
      readonly otherwise?: string;
      readonly plural?: { readonly one: string; readonly many: string };
    };

export type Template = readonly Piece[];

/** The value of a placeholder on a screen; undefined if there is none. */
export type ValueOf = (name: string) => string | undefined;

const PLACEHOLDER = /\{([A-Za-z][\w-]*)(?:\?([^{}]*)|\|([^{}|]*)\|([^{}|]*))?\}/g;

/** An error says which brace is wrong. */
export function parseTemplate(text: string): Result<Template, string> {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const [whole, name = "", otherwise, one, many] = found;
    if (found.index > end) pieces.push(text.slice(end, found.index));
    pieces.push(
      one === undefined
        ? { name, ...(otherwise === undefined ? {} : { otherwise }) }
        : { name, plural: { one, many: many ?? "" } },
    );
    end = found.index + whole.length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  const stray = pieces.find((piece) => typeof piece === "string" && /[{}]/.test(piece));
  return stray === undefined ? success(pieces) : failure("has a brace that belongs to no placeholder such as {name}");
}

export function fillTemplate(template: Template, valueOf: ValueOf): string {
  let text = "";
  for (const piece of template) {
    if (typeof piece === "string") text += piece;
    else text += filled(piece, valueOf(piece.name));
  }
  return text;
}

function filled({ otherwise, plural }: Exclude<Piece, string>, value: string | undefined): string {
  if (plural !== undefined) return value === "1" ? plural.one : plural.many;
  return value ?? otherwise ?? "";
}

/** Names that the text needs; those with an alternative are excluded. */
export function neededNames(template: Template): readonly string[] {
  return template.flatMap((piece) => (typeof piece === "string" || piece.otherwise !== undefined ? [] : [piece.name]));
}

export function allNames(template: Template): readonly string[] {
  return template.flatMap((piece) => (typeof piece === "string" ? [] : [piece.name]));
}
