/** Two screens beside each other for people: what they share at both ends, and what differs in between. Pure. */
import { fill, match, type Values } from "./screen-template.ts";
import { printable } from "./printable.ts";

/** Lines marked `  ` shared, `- ` recorded, `+ ` shown. Names that are known are told as their values. */
export function differenceOf(recorded: string, shown: string, values: Values): readonly string[] {
  const [expected, got] = [recorded.split("\n"), shown.split("\n")];
  const agree = (left: string | undefined, right: string | undefined): boolean =>
    left !== undefined && right !== undefined && match(left, right, values) !== undefined;

  const shortest = Math.min(expected.length, got.length);
  let start = 0;
  while (start < shortest && agree(expected[start], got[start])) start += 1;
  let end = 0;
  while (end < shortest - start && agree(expected.at(-1 - end), got.at(-1 - end))) end += 1;

  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => `${mark} ${visible(line)}`);
  return [
    ...marked(" ", got.slice(0, start)),
    ...marked(
      "-",
      expected.slice(start, expected.length - end).map((line) => fill(line, values)),
    ),
    ...marked("+", got.slice(start, got.length - end)),
    ...marked(" ", got.slice(got.length - end)),
  ];
}

/** A blank at the end is told: nobody sees it otherwise. */
function visible(line: string): string {
  return printable(line).replace(/ +$/, (blanks) => "\u00B7".repeat(blanks.length));
}
