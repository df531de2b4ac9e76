/** A reply as the terminal shows it: in a frame, with what the prefix says and what it takes on the air. Pure. */
import type { Reply } from "./dialect.ts";
import { sizeOf } from "./screen-size.ts";
import { printable } from "./printable.ts";

/** Columns: most phones show fewer, and the frame should not jump from screen to screen. */
const WIDTH = 40;
const STATES = { CON: "in call", END: "call ended" } as const;

/** Lines, each without its line end. */
export function drawScreen({ kind, body }: Reply, colours: boolean): readonly string[] {
  const { characters, alphabet, size, most } = sizeOf(`${kind} ${body}`);
  const paint = (code: number, text: string): string => (colours ? `\u001B[${code}m${text}\u001B[0m` : text);
  const lines = body.split("\n").flatMap((line) => folded(printable(line)));
  const edge = "-".repeat(WIDTH + 2);
  const fits = size <= most;
  const count = `${characters} characters, ${size} of ${most} ${alphabet}${fits ? "" : ": DOES NOT FIT"}`;
  return [
    paint(DIM, `+${edge}+`),
    ...lines.map(
      (line) => `${paint(DIM, "|")} ${line}${" ".repeat(WIDTH - Array.from(line).length)} ${paint(DIM, "|")}`,
    ),
    paint(DIM, `+${edge}+`),
    `${paint(kind === "CON" ? GREEN : YELLOW, `[${STATES[kind]}]`)} ${paint(fits ? DIM : RED, count)}`,
  ];
}

const DIM = 2;
const RED = 31;
const GREEN = 32;
const YELLOW = 33;

/** A line in pieces that fit the frame, broken at blanks where there are any. */
function folded(line: string): readonly string[] {
  const pieces: string[] = [];
  let rest = Array.from(line);
  while (rest.length > WIDTH) {
    const blank = rest.slice(0, WIDTH + 1).lastIndexOf(" ");
    const end = blank > 0 ? blank : WIDTH;
    pieces.push(rest.slice(0, end).join(""));
    rest = rest.slice(blank > 0 ? end + 1 : end);
  }
  return [...pieces, rest.join("")];
}
