/** One message. It renders again only when it changes, because an unchanged message is the same object. */
import { renderMessageContent, type IMessage, type MessageContent } from "@twinedge/sdk";
import { Fragment, memo, type ReactNode } from "react";
import { MarkdownText } from "./markdown-text.tsx";
import { toolCards } from "./tool-cards.tsx";

export const Message = memo(function Message({ message }: { readonly message: IMessage }) {
  if (message.type === "human") {
    return (
      <article className="message human" aria-label="You">
        {typeof message.content === "string" ? message.content : null}
      </article>
    );
  }
  if (message.isReasoning === true)
    return <Thinking text={message.reasoning} isComplete={message.isComplete === true} />;
  return (
    <article className="message ai" aria-label="Oracle">
      {message.reasoning !== undefined && message.reasoning !== "" && <Thinking text={message.reasoning} isComplete />}
      {partsOf(message.content).map((part, index) => (
        <Fragment key={index}>{partView(part, message.isComplete !== true)}</Fragment>
      ))}
    </article>
  );
});

type Part = Exclude<MessageContent, readonly unknown[]>;

/** The cards of tool calls first, in the order in which they were streamed, then the text. */
function partsOf(content: MessageContent): readonly Part[] {
  if (!Array.isArray(content)) return [content];
  return content.toSorted((one, other) => Number(typeof one === "string") - Number(typeof other === "string"));
}

function partView(part: Part, isGrowing: boolean): ReactNode {
  if (typeof part !== "string") return renderMessageContent(part, toolCards);
  return <MarkdownText text={part} isGrowing={isGrowing} />;
}

function Thinking({ text, isComplete }: { readonly text: string | undefined; readonly isComplete: boolean }) {
  const heading = isComplete ? "Thoughts" : "Thinking …";
  if (text === undefined || text === "") return isComplete ? null : <p className="thinking">{heading}</p>;
  return (
    <details className="thinking">
      <summary>{heading}</summary>
      <p>{text}</p>
    </details>
  );
}
