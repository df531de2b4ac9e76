/** A call that needs the user's approval: what it will do, with which values, and both answers in words. */
import type { PendingQuestion } from "@twinedge/sdk";
import type { ReactNode } from "react";
import { Fact } from "../kit/fact.tsx";
import { Icon } from "../kit/icon.tsx";
import { chatTexts } from "../texts/chat.ts";
import { AskedValue } from "./asked-value.tsx";
import { toolWords } from "./tool-names.ts";
import { visible } from "./visible.ts";
import type { Answer } from "./use-answer.ts";

export interface ApprovalCardProps extends Pick<PendingQuestion, "toolName" | "args"> {
  readonly answer: Pick<Answer, "send" | "isSent">;
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
