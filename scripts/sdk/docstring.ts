/** A docstring's parts: its text, and the text after `@param`, `@returns`, `@throws` and `@example`. */

export interface Docstring {
  /** Markdown. */
  readonly text: string;
  readonly params: readonly { readonly name: string; readonly text: string }[];
  readonly returns: string | undefined;
  readonly throws: string | undefined;
  /** Markdown: code in a fence. */
  readonly examples: readonly string[];
}

/** @param comment the text between `/*` and the end of the comment. */
export function readDocstring(comment: string): Docstring {
  const lines = comment
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const [text = "", ...tags] = lines
    .join("\n")
    .trim()
    .split(/(?:^|\n)\s*(?=@(?:param|returns|throws|example|deprecated|see|remarks)\b)/);
  const behind = (tag: string): readonly string[] =>
    tags.flatMap((part) => (part.startsWith(`@${tag}`) ? [part.slice(tag.length + 1).trim()] : []));
  return {
    text: text.trim(),
    params: behind("param").map((part) => {
      const [, name = "", description = ""] = /^(\S+)\s*(?:-\s*)?([\s\S]*)$/.exec(part) ?? [];
      return { name, text: description };
    }),
    returns: behind("returns")[0],
    throws: behind("throws")[0],
    examples: behind("example").map((part) => (part.includes("```") ? part : `\`\`\`tsx\n${part}\n\`\`\``)),
  };
}
