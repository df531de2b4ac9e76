/**
 * What a recorded screen or input says with names in it: `{customerId}` is a value that is known, or, on a screen, one
 * that is found there and known from then on; `{...}` on a screen is anything. Other braces are themselves.
 */

const PLACEHOLDER = /\{(\.\.\.|[A-Za-z][A-Za-z0-9]*)\}/;
const ANYTHING = "...";

export type Values = ReadonlyMap<string, string>;

/** The names in a template, in order, `{...}` left out. */
export function namesIn(template: string): readonly string[] {
  return partsOf(template).flatMap(({ name }) => (name === undefined || name === ANYTHING ? [] : [name]));
}

/** The template with its names replaced; a name without a value stays as it is. */
export function fill(template: string, values: Values): string {
  return partsOf(template)
    .map(({ text, name }) => (name === undefined ? text : (values.get(name) ?? `{${name}}`)))
    .join("");
}

/** What a text gives the template's unknown names, each a piece of one line; undefined when it does not match. */
export function match(template: string, text: string, values: Values): Values | undefined {
  const found = new Set<string>();
  const pattern = partsOf(template).map(({ text: literal, name }) => {
    if (name === undefined) return escaped(literal);
    if (name === ANYTHING) return "[^]*?";
    const known = values.get(name);
    if (known !== undefined) return escaped(known);
    if (found.has(name)) return `\\k<${name}>`;
    found.add(name);
    return `(?<${name}>[^\\n]+?)`;
  });
  const groups = new RegExp(`^${pattern.join("")}$`, "u").exec(text);
  return groups === null ? undefined : new Map(Object.entries(groups.groups ?? {}));
}

interface Part {
  /** As it stands in the template. */
  readonly text: string;
  readonly name?: string;
}

function partsOf(template: string): readonly Part[] {
  // Every second piece is what the group of the pattern caught.
  return template
    .split(PLACEHOLDER)
    .map((piece, index) => (index % 2 === 0 ? { text: piece } : { text: `{${piece}}`, name: piece }));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
