/** Splits a long answer into several messages: Slack limits the characters of one. */

/** Characters of Markdown in one message, Slack's limit for `markdown_text`. */
export const MESSAGE_LENGTH = 12_000;

/** Parts that join to the text, each cut after the last paragraph, else line, else word that fits. */
export function answerParts(text: string, limit: number = MESSAGE_LENGTH): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const end = cutOf(rest.slice(0, limit));
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest === "" ? parts : [...parts, rest];
}

/** A cut in the first half would leave a message almost empty. */
function cutOf(head: string): number {
  for (const between of ["\n\n", "\n", " "]) {
    const at = head.lastIndexOf(between);
    if (at >= head.length / 2) return at + between.length;
  }
  // Do not split a surrogate pair.
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? head.length - 1 : head.length;
}
