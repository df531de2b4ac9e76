/** A reply's Markdown as React elements, never as HTML; links open beside the conversation. */
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Wide ones scroll by themselves instead of widening the page.
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

export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      <Markdown remarkPlugins={plugins} components={components}>
        {text}
      </Markdown>
    </div>
  );
}
