/** A call that needs the user's approval: its action and values, and buttons for both answers. */
import type { PendingQuestion } from "@twinedge/sdk";
import type { ReactNode } from "react";
import { Fact } from "../kit/fact.tsx";
import { Icon } from "../kit/icon.tsx";
import { jsonText } from "../kit/json-text.ts";
import { chatTexts } from "../texts/chat.ts";
import { toolWords } from "./tool-names.ts";
import type { QuestionAnswer } from "./use-answer.ts";

export interface ApprovalCardProps extends Pick<PendingQuestion, "toolName" | "args"> {
  readonly answer: Pick<QuestionAnswer, "send" | "isSent">;
  /** The error of the last answer. */
  readonly children?: ReactNode;
}

export function ApprovalCard({ toolName, args, answer: { send, isSent }, children }: ApprovalCardProps) {
  const words = chatTexts.question;
  const values = Object.entries(args);
  const known = Object.hasOwn(words.tools, toolName) ? words.tools[toolName] : undefined;
  const tool = known ?? visible(toolWords(toolName));
  return (
    <section className="notice warn" aria-label={words.title}>
      <Icon name="warning" />
      <div className="stack tight">
        <h2>{words.title}</h2>
        <p>{values.length === 0 ? words.effectAlone(tool) : words.effect(tool)}</p>
        {values.length > 0 && (
          <dl className="facts asked-values" aria-label={words.values}>
            {values.map(([name, value]) => (
              <Fact key={name} name={visible(name)}>
                <AskedValue value={value} />
              </Fact>
            ))}
          </dl>
        )}
        {children}
        <div className="row wrap">
          <button type="button" aria-disabled={isSent} onClick={() => send({ approved: false }, words.refused)}>
            {words.refuse}
          </button>
          <button
            type="button"
            className="primary"
            aria-disabled={isSent}
            onClick={() => send({ approved: true }, words.approved)}
          >
            {words.approve}
          </button>
        </div>
      </div>
    </section>
  );
}

/** JSON other than a number, or text without visible content. */
const OTHER_JSON = /^\s*(?:["[{]|(?:true|false|null)?\s*$)/i;

/**
 * A value that the user is asked to approve. A text that looks like another value, such as `true`, is quoted and labelled as a
 * text.
 */
function AskedValue({ value }: { readonly value: unknown }) {
  if (typeof value !== "string") return visible(jsonText(value));
  if (!OTHER_JSON.test(value) && Number.isNaN(Number(value))) return visible(value);
  const { asText, blankText } = chatTexts.question;
  return (
    <>
      {`"${visible(value)}" `}
      <span className="muted small">{value.trim() === "" ? blankText : asText}</span>
    </>
  );
}

/**
 * A text with its invisible characters as codes: some reverse the text order, so that a user would approve something other than
 * what they read.
 */
const INVISIBLE = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029\u3164\uffa0]/gu;

/**
 * A text with its invisible characters as codes: some reverse the text order, so that a user would approve something else than they
 * read.
 */
function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
