/** Renders a reply's Markdown as React elements, never as HTML. Links open in a new tab. */
import { memo } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { markdownBlocks } from "./markdown-blocks.ts";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Wide tables scroll inside the page instead of widening it.
  table: ({ children }) => (
    <div className="scrolls" role="region" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    <pre tabIndex={0} aria-label="Code">
      {children}
    </pre>
  ),
  // Markdown has only one kind of input: the checkboxes of a task list.
  input: ({ checked }) => (
    <input type="checkbox" disabled defaultChecked={checked} aria-label={checked ? "Done" : "To do"} />
  ),
  // Loading an image would reveal the reader to another server.
  img: ({ alt }) => <span>{alt}</span>,
};

/** Parsed again only when its text changes. */
const Block = memo(function Block({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={components}>
      {text}
    </Markdown>
  );
});

/**
 * @param props `isGrowing`: the reply is still being written and is rendered block by block. A complete reply is
 * rendered as one text.
 */
export function MarkdownText({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  const blocks = isGrowing ? markdownBlocks(text) : [text];
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
}
