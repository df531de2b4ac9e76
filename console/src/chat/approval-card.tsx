/** A call that needs the user's approval: what it will do, with which values, and both answers in words. */
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
  /** What went wrong with the answer. */
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

/** How JSON other than a number begins or is, and what shows nothing. */
const OTHER_JSON = /^\s*(?:["[{]|(?:true|false|null)?\s*$)/i;

/** A value that somebody is asked to approve. A text that reads as another value, such as `true`, is quoted and named a text. */
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

/** Controls but for tabs and ends of lines, and all that format without being seen, which the joiners in words and emoji are not. */
const INVISIBLE = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029\u3164\uffa0]/gu;

/** A text with its invisible characters as codes: some turn the order of what follows, so that somebody approves what they do not read. */
function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
