/**
 * A JSON array of objects, one object over several lines, or several such objects: each becomes one line, without loading the whole
 * file.
 */
import type { TextSlice } from "./decoded-text.ts";
import { LONGEST_ITEM, type FileItem } from "./file-item.ts";
import { FileProblem } from "./file-problem.ts";

/**
 * Finds where each item ends and leaves its JSON to the registry, which reports the fault of an invalid item. A line break between
 * the parts of an item becomes a space. Inside a text, it is invalid in JSON and becomes a tab, which is invalid there too.
 */
export async function* jsonItems(slices: AsyncIterable<TextSlice>): AsyncGenerator<FileItem> {
  const found: string[] = [];
  /** The depth of items: 1 in an array, 0 without one; unknown before the first character. */
  let base: 0 | 1 | undefined;
  let [depth, count, item, read] = [0, 0, "", 0];
  let [isText, isEscaped, isOver] = [false, false, false];

  const keep = (piece: string): void => {
    if (item.length < LONGEST_ITEM) item = (item + piece).slice(0, LONGEST_ITEM);
  };
  const end = (): void => {
    count += 1;
    found.push(item.trim());
    item = "";
  };

  /** Handles the characters that can end something, and keeps the text between them. */
  const scan = (text: string): void => {
    let from = 0;
    const keepTo = (to: number): void => {
      keep(text.slice(from, to));
      from = to;
    };
    for (let at = 0; at < text.length; at += 1) {
      const sign = text.charAt(at);
      if (isEscaped) {
        isEscaped = false;
      } else if (sign === "\n" || sign === "\r") {
        keepTo(at);
        keep(isText ? "\t" : " ");
        from = at + 1;
      } else if (isText) {
        if (sign === "\\") isEscaped = true;
        else if (sign === '"') isText = false;
      } else if (isOver) {
        if (sign.trim() !== "") throw new FileProblem("afterTheEnd");
      } else if (sign === '"') {
        isText = true;
      } else if (sign === "{" || sign === "[") {
        if (base === undefined) {
          base = sign === "[" ? 1 : 0;
          from = base === 1 ? at + 1 : from;
        }
        depth += 1;
      } else if (sign === "}" || sign === "]") {
        depth -= 1;
        if (depth === 0 && base === 0) {
          keepTo(at + 1);
          end();
        } else if (depth === 0) {
          keepTo(at);
          from = at + 1;
          isOver = true;
          if (item.trim() !== "") end();
        }
      } else if (sign === "," && depth === base) {
        keepTo(at);
        from = at + 1;
        // Between objects without an array, a comma is only a separator.
        if (base === 1 || item.trim() !== "") end();
      }
    }
    keepTo(text.length);
  };

  for await (const { text, bytesRead } of slices) {
    read = bytesRead;
    scan(text);
    for (const each of found.splice(0)) yield { text: each, bytesRead };
  }
  if (item.trim() !== "" || (base === 1 && !isOver)) throw new FileProblem("cutOff", String(count + 1));
  if (count === 0 && base === undefined) yield { text: "", bytesRead: read };
}
