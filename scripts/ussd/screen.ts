/** Screens for the terminal: a reply in a frame with its size on the network, and the difference between two screens. Pure. */
import { fill, match, type Values } from "../../shared/flow-template.ts";
import type { Reply } from "../../shared/gateway-formats.ts";
import { replySize } from "../../shared/gsm7.ts";

/** Columns: most phones show fewer, and the frame should not change from screen to screen. */
const WIDTH = 40;
const STATES = { CON: "in call", END: "call ended" } as const;
const DIM = 2;
const RED = 31;
const GREEN = 32;
const YELLOW = 33;

/** Lines without line ends. */
export function drawScreen({ kind, body }: Reply, colours: boolean): readonly string[] {
  const paint = (code: number, text: string): string => (colours ? `\u001B[${code}m${text}\u001B[0m` : text);
  const edge = paint(DIM, `+${"-".repeat(WIDTH + 2)}+`);
  const side = paint(DIM, "|");
  const padded = (line: string): string => line + " ".repeat(WIDTH - Array.from(line).length);
  const reply = `${kind} ${body}`;
  const { alphabet, size, networkLimit } = replySize(reply);
  const fits = size <= networkLimit;
  const unit = alphabet === "GSM-7" ? "septets" : "UCS-2 units";
  const share = `${size} of ${networkLimit} ${unit}${fits ? "" : ": DOES NOT FIT"}`;
  const count = `${Array.from(reply).length} characters, ${share}`;
  return [
    edge,
    ...body.split("\n").flatMap((line) => folded(printable(line)).map((part) => `${side} ${padded(part)} ${side}`)),
    edge,
    `${paint(kind === "CON" ? GREEN : YELLOW, `[${STATES[kind]}]`)} ${paint(fits ? DIM : RED, count)}`,
  ];
}

/** A line in parts that fit the frame, broken at blanks if there are any. */
function folded(line: string): readonly string[] {
  const parts: string[] = [];
  let rest = Array.from(line);
  while (rest.length > WIDTH) {
    const blank = rest.slice(0, WIDTH + 1).lastIndexOf(" ");
    parts.push(rest.slice(0, blank > 0 ? blank : WIDTH).join(""));
    rest = rest.slice(blank > 0 ? blank + 1 : WIDTH);
  }
  return [...parts, rest.join("")];
}

/** Lines marked `  ` common, `- ` recorded, `+ ` received. Known names are replaced by their values. */
export function differenceOf(recorded: string, received: string, values: Values): readonly string[] {
  const [expected, actual] = [recorded.split("\n"), received.split("\n")];
  const agree = (left = "", right = ""): boolean => match(left, right, values) !== undefined;
  const shortest = Math.min(expected.length, actual.length);
  let start = 0;
  while (start < shortest && agree(expected[start], actual[start])) start += 1;
  let end = 0;
  while (end < shortest - start && agree(expected.at(-1 - end), actual.at(-1 - end))) end += 1;

  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => `${mark} ${visible(line)}`);
  const missing = expected.slice(start, expected.length - end).map((line) => fill(line, values));
  return [
    ...marked(" ", actual.slice(0, start)),
    ...marked("-", missing),
    ...marked("+", actual.slice(start, actual.length - end)),
    ...marked(" ", actual.slice(actual.length - end)),
  ];
}

/** Trailing blanks as dots, since they are invisible otherwise. */
function visible(line: string): string {
  return printable(line).replace(/ +$/, (blanks) => "\u00B7".repeat(blanks.length));
}

/** A server's text for a terminal: it cannot move the cursor or change colours. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it replaces
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, "\uFFFD");
}
