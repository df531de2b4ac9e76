/** One message. It is drawn again only when it has changed: an unchanged message is the same object. */
import { renderMessageContent, type IComponentMetadata, type IMessage, type MessageContent } from "@twinedge/sdk";
import { Fragment, memo } from "react";
import { Icon } from "../kit/icon.tsx";
import { chatTexts } from "../texts/chat.ts";
import { MarkdownText } from "./markdown-text.tsx";
import { toolCards } from "./tool-cards.tsx";

export const Message = memo(function Message({ message }: { readonly message: IMessage }) {
  const { type, content, reasoning, isReasoning, isComplete, attachments = [] } = message;
  if (type === "human")
    return (
      <article className="message human" aria-label={chatTexts.you}>
        {typeof content === "string" ? content : null}
        {attachments.length > 0 && (
          <ul className="message-files" aria-label={chatTexts.attach.title}>
            {attachments.map(({ filename }, index) => (
              <li key={index}>
                <Icon name="attach" />
                {filename}
              </li>
            ))}
          </ul>
        )}
      </article>
    );
  if (isReasoning === true) return <Thinking text={reasoning} isComplete={isComplete === true} />;
  return (
    <article className="message ai" aria-label={chatTexts.oracle}>
      {reasoning !== undefined && reasoning !== "" && <Thinking text={reasoning} isComplete />}
      {partsOf(content).map((part, index) => (
        <Fragment key={index}>
          {typeof part === "string" ? <MarkdownText text={part} /> : renderMessageContent(withOutcome(part), toolCards)}
        </Fragment>
      ))}
    </article>
  );
});

/** What an oracle sends until its model says what it thinks; many models never do. */
const NO_THOUGHTS = "Thinking...";

/** Nothing to read in it once something follows. */
export function isPlaceholder({ isReasoning, reasoning }: IMessage): boolean {
  return isReasoning === true && reasoning === NO_THOUGHTS;
}

type Part = Exclude<MessageContent, readonly unknown[]>;

/** The cards of tool calls first, as they came while the answer was streamed, then its text. */
function partsOf(content: MessageContent): readonly Part[] {
  if (!Array.isArray(content)) return [content];
  return content.toSorted((one, other) => Number(typeof one === "string") - Number(typeof other === "string"));
}

/** A card has one place for what came of its call: the result, or why there is none. */
function withOutcome(part: IComponentMetadata): IComponentMetadata {
  const { output, error } = part.props;
  return output !== undefined || error === undefined ? part : { ...part, props: { ...part.props, output: error } };
}

function Thinking({ text = "", isComplete }: { readonly text?: string | undefined; readonly isComplete: boolean }) {
  const heading = isComplete ? chatTexts.thoughts : `${chatTexts.thinking} …`;
  if (text === "" || text === NO_THOUGHTS) return isComplete ? null : <p className="muted">{heading}</p>;
  return (
    <details className="thinking muted">
      <summary>{heading}</summary>
      <p>{text}</p>
    </details>
  );
}
