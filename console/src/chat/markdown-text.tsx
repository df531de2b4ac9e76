/** A text with Markdown: its parser is loaded with the first one, and the text stands there as it is until then. */
import { lazyPart } from "../kit/lazy-part.tsx";

interface MarkdownTextProps {
  readonly text: string;
}

export const MarkdownText = lazyPart<MarkdownTextProps>(() => import("./markdown.tsx"), {
  Waiting: ({ text }) => <div className="markdown plain">{text}</div>,
  isOptional: true,
});
