/**
 * House rule: grammar. Prose says who does what, in this order, and uses the words that a reader searches for. CONTRIBUTING.md
 * lists the rules with examples. Pure: a path and a text go in, sentences come out.
 */
import { proseBlocks } from "./prose-blocks.ts";

/** A sentence is matched from its first character, with its full stop. */
const SENTENCE_RULES: readonly (readonly [sentence: RegExp, write: string])[] = [
  [/^(?:What|Who)\b(?![^]*\?)[^]*\.["')]?$/, "name the thing instead of a clause as subject"],
  [/^Of (?!course\b)/, "begin with the subject, not with a fronted Of"],
  [
    /^To (?:an?|another|each|every|no|one|the|this|these|that|those|them|us)\b/,
    "begin with the subject, not with a fronted To",
  ],
];

const PHRASE_RULES: readonly (readonly [phrase: RegExp, write: string])[] = [
  [/\bthat of\b/i, "repeat the noun"],
  [/(?<!\bthere )\b(?:is|are|was|were) none\b/i, "say what there is, or does not exist"],
  [/\b(?:go|goes) on\b(?! to\b)/i, "continue, or keep"],
  [/\bsays so\b/i, "report, return or print: the exact act"],
  [
    /\bstands? (?:in\b(?! for\b)|at|there|beside|behind|below|above|outside|under|between)\b/i,
    "is written, is listed, is",
  ],
  [/\blies? (?:in|at|there|beside|behind|below|above|outside|between)\b/i, "is stored, is"],
  [
    /\bbehind (?:it|them|this|that|these|those|each|every|its|the (?:last|first|cursor|frame|entry|end|page|message|seq|text|name|path|host|code))\b/i,
    "after",
  ],
  [/\bshall\b/i, "must, should or will"],
  [/\bnobody\b/i, "say it positively, or name who"],
  [/\bwhoever\b/i, "anyone who, or name who"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix, or correct"],
  [
    /, also (?:after|at|before|by|for|from|if|in|of|on|that|those|under|what|when|where|while|with|without)\b/i,
    "even if, even after, as well as",
  ],
  [/\ball the same\b/i, "still, or anyway"],
  [/\bany more\b(?! \w+s\b)/i, "no longer"],
  [/\bof (?:one's|my|our|your|their|its) own\b/i, "its own, or separate"],
  [/\bby (?:itself|themselves)\b/i, "automatically, or alone"],
];

export function proseFaults(path: string, text: string): readonly string[] {
  return proseBlocks(path, text).flatMap((block) => {
    const faults: string[] = [];
    const add = (offset: number, found: string, write: string): void => {
      const line = block.line + block.text.slice(0, offset).split("\n").length - 1;
      const shown = found.replace(/\s+/g, " ").slice(0, SHOWN);
      faults.push(`${path}:${line}: "${shown}": ${write}`);
    };
    for (const [offset, sentence] of block.isCell ? [] : sentencesOf(block.text))
      for (const [rule, write] of SENTENCE_RULES) if (rule.test(sentence)) add(offset, sentence, write);
    for (const [rule, write] of PHRASE_RULES) {
      const found = rule.exec(block.text.replaceAll("\n", " "));
      if (found !== null) add(found.index, found[0], write);
    }
    return faults;
  });
}

/** Enough of a sentence to find it. */
const SHOWN = 60;

function sentencesOf(text: string): readonly (readonly [offset: number, sentence: string])[] {
  return [...text.matchAll(/(?<=^|[.!?:;]\s+|\n\s*\n)[A-Z][^]*?(?:[.!?](?=\s|$)|$)/g)].map(({ index, 0: sentence }) => [
    index,
    sentence.trim(),
  ]);
}
