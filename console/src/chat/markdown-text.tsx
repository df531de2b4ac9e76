/** A text with Markdown. Its parser is loaded with the first such text, which is shown as it was written until then. */
import { lazyPart } from "../kit/lazy-part.tsx";

interface MarkdownTextProps {
  readonly text: string;
}

export const MarkdownText = lazyPart<MarkdownTextProps>(() => import("./markdown.tsx"), {
  Waiting: ({ text }) => <div className="markdown plain">{text}</div>,
  isOptional: true,
});
