/**
 * House rule: words. Source and documents use the words of docs/glossary.md and cite only documents in the repository. The tables
 * contain only words that are never right here; readers judge everything else. Pure: a path and a text go in, sentences come out.
 */

/** Looked up in lower case; names such as `toldIssues` and `TOLD_ISSUES` are split into their words first. */
const REPLACED_WORDS: ReadonlyMap<string, string> = new Map([
  ["aftermath", "completion, or post-run hook"],
  ["anew", "again"],
  ["bell", "trigger"],
  ["bells", "triggers"],
  ["brake", "limit, or circuit"],
  ["braked", "rate-limited"],
  ["bystander", "other client"],
  ["bystanders", "other clients"],
  ["departures", "disconnects"],
  ["desk", "client, or commands"],
  ["drawer", "folder"],
  ["drawers", "folders"],
  ["farewell", "close packets"],
  ["flaw", "issue"],
  ["flaws", "issues"],
  ["him", "them"],
  ["himself", "themselves"],
  ["his", "their"],
  ["impatient", "with a short timeout"],
  ["keeper", "repository, or client"],
  ["lend", "provide"],
  ["lends", "provides"],
  ["linger", "stay open"],
  ["lingers", "stays open"],
  ["midst", "during"],
  ["misfit", "mismatch"],
  ["misfits", "mismatches"],
  ["rivals", "oneof siblings"],
  ["roster", "presence"],
  ["secretive", "without secrets"],
  ["settlement", "effective state"],
  ["told", "sent, returned, reported, shown: the exact act"],
  ["unsettled", "pending"],
  ["untold", "omitted, or derived"],
]);

const REPLACED_PHRASES: readonly (readonly [phrase: RegExp, write: string])[] = [
  [/\bleftOut/, "excluded, or omitted"],
  [/\b(?:go|goes|going|gone|went) on with\b/i, "resume, or continue"],
  [/\bin the words of\b/i, "with the messages of"],
  [/(?<=^|\s)he(?=\s|$)/i, "they"],
];

/** Documents that were never part of the repository. */
const CITED_ELSEWHERE =
  /\bcontract\/\w+\.md|\bcontract [A-D]\b|(?<!\/)\bdecisions? \d+(?:\.\d+)+|\bspec,? part\b|\bspec\.md\b|\b(?:the contract|specification)'s\b/i;

/** One word of prose or of a name. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;

export function wordFaults(path: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const faults: string[] = [];
    for (const [word] of line.matchAll(WORD)) {
      const write = REPLACED_WORDS.get(word.toLowerCase());
      if (write !== undefined) faults.push(`instead of "${word}" write: ${write}`);
    }
    for (const [phrase, write] of REPLACED_PHRASES) {
      const found = phrase.exec(line);
      if (found !== null) faults.push(`instead of "${found[0]}" write: ${write}`);
    }
    const citation = CITED_ELSEWHERE.exec(line)?.[0];
    if (citation !== undefined)
      faults.push(`"${citation}" is not in the repository: cite a rule of docs/reference/ or test/spec/, or nothing`);
    return faults.map((fault) => `${path}:${index + 1}: ${fault}`);
  });
}
