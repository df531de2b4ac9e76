/** The code blocks of a page in Markdown, including those in list items, with the heading above each. */

export interface CodeBlock {
  readonly heading: string;
  readonly language: string;
  readonly code: string;
}

export function codeBlocksOf(markdown: string): readonly CodeBlock[] {
  const parts = markdown.matchAll(/^##+ (.+)$|^( *)```(\w+)\n([^]*?)^ *```$/gm);
  const blocks: CodeBlock[] = [];
  let heading = "";
  for (const [, title, indent = "", language = "", code = ""] of parts) {
    if (title === undefined)
      blocks.push({ heading, language, code: code.replaceAll(new RegExp(`^${indent}`, "gm"), "") });
    else heading = title;
  }
  return blocks;
}
