/**
 * Finds the prose of a file for `prose.ts`: paragraphs of Markdown, comments, interface texts and test names. Code, quotations
 * and block quotes are omitted. Pure: a path and a text go in, blocks come out.
 */

export interface ProseBlock {
  /** Line of the first character, from 1. */
  readonly line: number;
  /** Line breaks are kept, so that a match can be placed. */
  readonly text: string;
  /** A table cell may be a noun phrase; a sentence may not. */
  readonly isCell: boolean;
}

export function proseBlocks(path: string, text: string): readonly ProseBlock[] {
  if (path.endsWith(".md")) return markdownBlocks(text);
  if (/\.tsx?$/.test(path)) return sourceBlocks(path, text);
  return commentsOf(text, /--|#|\/\//);
}

const FENCE = /^\s*(?:```|~~~)/;
/** A line that starts a separate block: heading, list item, table row. */
const STARTS_BLOCK = /^\s*(?:#|[-*+] |\d+\. |\|)/;

function markdownBlocks(text: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  let lines: string[] = [];
  let first = 1;
  let isInFence = false;
  const end = (): void => {
    if (lines.length > 0) blocks.push(documentBlock(first, withoutQuotations(lines.join("\n"))));
    lines = [];
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (FENCE.test(line)) {
      end();
      isInFence = !isInFence;
    } else if (isInFence) continue;
    else if (line.trim() === "" || /^\s*>/.test(line)) end();
    else if (/^\s*\|/.test(line)) {
      end();
      for (const cell of withoutQuotations(line).split("|"))
        if (cell.trim() !== "") blocks.push({ ...documentBlock(index + 1, cell.trim()), isCell: true });
    } else {
      if (STARTS_BLOCK.test(line)) end();
      if (lines.length === 0) first = index + 1;
      lines.push(line.replace(/^\s*(?:[-*+] |\d+\. |#+ )/, ""));
      if (/^\s*#/.test(line)) end();
    }
  }
  end();
  return blocks;
}

function documentBlock(line: number, text: string): ProseBlock {
  return { line, text, isCell: false };
}

/** Inline code, link targets and quotations are not our own prose. Their length and line breaks are kept. */
function withoutQuotations(text: string): string {
  return text.replace(/`[^`]*`|"[^"\n]{1,200}"|“[^”]{1,200}”|\]\([^)]*\)/g, (found) => found.replace(/[^\n]/g, "~"));
}

/** One part of a source file: a comment, a string, or a run of other code. */
const PARTS =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;
/** A string with fewer words is a name or a code. */
const WORDS_OF_A_TEXT = 4;
const TEST_NAME = /(?:\b(?:test|it|describe|step)(?:\.\w+)?(?:\([^()]*\)|\.each\([\s\S]*?\))?|\]\))\(\s*$/;

function sourceBlocks(path: string, text: string): readonly ProseBlock[] {
  const isTest = /\.test\.tsx?$|^test\//.test(path);
  const blocks: ProseBlock[] = [];
  let end = 0;
  let line = 1;
  for (const match of text.matchAll(PARTS)) {
    const [part] = match;
    const between = text.slice(end, match.index);
    if (path.endsWith(".tsx") && !isTest) blocks.push(...elementTexts(between, line));
    line += breaksIn(between);
    if (part.startsWith("/")) blocks.push(commentBlock(part, line));
    else if (isProse(part) && (!isTest || TEST_NAME.test(text.slice(Math.max(0, match.index - 80), match.index))))
      blocks.push(documentBlock(line, withoutQuotations(part.slice(1, -1))));
    line += breaksIn(part);
    end = match.index + part.length;
  }
  if (path.endsWith(".tsx") && !isTest) blocks.push(...elementTexts(text.slice(end), line));
  return blocks;
}

function commentBlock(comment: string, line: number): ProseBlock {
  const text = comment.replace(/^\/\*\*?|\*\/$/g, "").replace(/^[ \t]*(?:\*|\/\/)[ \t]?/gm, "");
  return documentBlock(line, withoutQuotations(text));
}

function isProse(literal: string): boolean {
  const words = literal.slice(1, -1).match(/(?<![\w$./-])[A-Za-z']+(?=[\s,.;:?!)]|$)/g) ?? [];
  return words.length >= WORDS_OF_A_TEXT && !/\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b|=>|[{;]\n/.test(literal);
}

/** Lines between tags that contain only words. */
function elementTexts(code: string, line: number): readonly ProseBlock[] {
  return code.split("\n").flatMap((text, index) => {
    const words = text.replace(/<[^<>]*>/g, " ").trim();
    const isText = /^[\p{L}\p{N}\s.,:;'’“”!?…()-]+$/u.test(words) && words.split(/\s+/).length >= WORDS_OF_A_TEXT;
    return isText ? [documentBlock(line + index, words)] : [];
  });
}

function commentsOf(text: string, mark: RegExp): readonly ProseBlock[] {
  return text.split("\n").flatMap((line, index) => {
    const found = mark.exec(line);
    if (found === null) return [];
    return [documentBlock(index + 1, withoutQuotations(line.slice(found.index + found[0].length)))];
  });
}

function breaksIn(text: string): number {
  return text.split("\n").length - 1;
}
