/** A reply's Markdown as React elements, never as HTML; links open beside the conversation. */
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
  // Wide ones scroll instead of widening the page.
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
  // The only inputs of Markdown are the boxes of a list of tasks.
  input: ({ checked }) => (
    <input type="checkbox" disabled defaultChecked={checked} aria-label={checked ? "Done" : "To do"} />
  ),
  // A picture would tell another server who reads the reply.
  img: ({ alt }) => <span>{alt}</span>,
};

/** Parsed again only when its text is another one. */
const Block = memo(function Block({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={components}>
      {text}
    </Markdown>
  );
});

/** @param props `isGrowing`: a reply that is still written, drawn block by block; a whole one is drawn as one text. */
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
