/** The text of an HTML page as a reader sees it, about: no scripts, no styles, no tags, lines where the page has them. */
import { Parser } from "htmlparser2";

const UNSEEN: ReadonlySet<string> = new Set("iframe math noscript object script style svg template".split(" "));
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
  ).split(" "),
);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);
/** UTF-16 units that are parsed at once, between two looks at how much there is. */
const PART_LENGTH = 64 * 1024;

/** `length`: how much is wanted, UTF-16 units; of a longer page no more is read. */
export function textOfHtml(html: string, length: number): string {
  const parts: string[] = [];
  let collected = 0;
  let unseen = 0;
  const add = (text: string): void => {
    if (unseen > 0) return;
    parts.push(text);
    collected += text.trim().length;
  };
  const parser = new Parser({
    onopentag(name) {
      if (UNSEEN.has(name)) unseen += 1;
      else if (BLOCKS.has(name)) add("\n");
      else if (CELLS.has(name)) add("\t");
    },
    ontext: add,
    onclosetag(name) {
      if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1);
      else if (BLOCKS.has(name)) add("\n");
    },
  });
  for (let start = 0; start < html.length; start += PART_LENGTH) {
    parser.write(html.slice(start, start + PART_LENGTH));
    if (collected > length) break;
  }
  parser.end();
  return parts
    .join("")
    .replace(/[ \u00a0]+/g, " ")
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
