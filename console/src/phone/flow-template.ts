/**
 * Templates of recorded flows: `{name}` is a known value or, on a screen, one that is found there and known from then on; `{...}` is
 * any text. The rules are the terminal phone's (scripts/ussd/flow-file.ts), which a test compares.
 */
const PLACEHOLDER = /\{(\.\.\.|[A-Za-z][A-Za-z0-9]*)\}/;
export const ANYTHING = "...";

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

/** A text as a template that means just it: what would be a name is any text. */
export function literal(text: string): string {
  return segmentsOf(text)
    .map(({ text, name }) => (name === undefined ? text : `{${ANYTHING}}`))
    .join("");
}

export interface Segment {
  readonly text: string;
  readonly name?: string;
}

/** Every second part of the split is a name. */
export function segmentsOf(template: string): readonly Segment[] {
  return template
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 0 ? { text: part } : { text: `{${part}}`, name: part }));
}
