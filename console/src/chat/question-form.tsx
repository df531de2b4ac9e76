/** A form that a server asks the user to fill in (an MCP elicitation): its fields come from the JSON schema of the question. */
import type { PendingQuestion } from "@twinedge/sdk";
import { useState, type SyntheticEvent } from "react";
import { Icon } from "../kit/icon.tsx";
import { chatTexts } from "../texts/chat.ts";
import { AnswerFailure } from "./answer-failure.tsx";
import { useChatParts } from "./chat-context.ts";
import { drafts } from "./drafts.ts";
import { answerOf, draftOf, faultsOf, withDraft } from "./question-answer.ts";
import { QuestionInput } from "./question-input.tsx";
import { fieldsOf } from "./question-fields.ts";
import type { QuestionAnswer } from "./use-answer.ts";

export interface QuestionFormProps {
  readonly question: PendingQuestion;
  readonly answer: QuestionAnswer;
  /** Where the draft is stored. */
  readonly draftPlace: string;
}

export default function QuestionForm({ question, answer, draftPlace }: QuestionFormProps) {
  const { send, isSent } = answer;
  const words = chatTexts.question;
  const { did } = useChatParts().identity.signer;
  const [draft] = useState(() => drafts.read(did, draftPlace));
  const { message, fields: asked, server, url } = fieldsOf(question);
  const fields = withDraft(asked, draft);
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const filledIn = new FormData(event.currentTarget);
    const wrong = faultsOf(fields, filledIn);
    setFaults(wrong);
    const first = fields.find(({ name }) => wrong.has(name));
    if (first !== undefined)
      return event.currentTarget.querySelector<HTMLElement>(`[name="${first.control}"]`)?.focus();
    send(
      url === undefined ? { action: "accept", content: answerOf(fields, filledIn) } : { action: "accept" },
      words.sent,
    );
  };
  /** A correction removes the error. */
  const onInput = (event: SyntheticEvent<HTMLFormElement>): void => {
    const filledIn = new FormData(event.currentTarget);
    drafts.keep(did, draftPlace, draftOf(filledIn));
    if (faults.size === 0) return;
    const wrong = faultsOf(fields, filledIn);
    setFaults(new Map([...wrong].filter(([name]) => faults.has(name))));
  };
  return (
    <form className="notice" noValidate aria-label={words.formTitle(server)} onSubmit={submit} onInput={onInput}>
      <Icon name="edit" />
      <div className="stack tight">
        <h2>{words.formTitle(server)}</h2>
        {message !== "" && <p className="asked">{message}</p>}
        {url !== undefined && (
          <p>
            <a className="button" href={url} target="_blank" rel="noreferrer noopener">
              {words.openPage(new URL(url).host)} <Icon name="external" />
            </a>
          </p>
        )}
        {fields.map((field) => (
          <QuestionInput key={field.name} field={field} fault={faults.get(field.name)} />
        ))}
        <AnswerFailure error={question.error} />
        <div className="row wrap">
          <button type="button" aria-disabled={isSent} onClick={() => send({ action: "decline" }, words.declined)}>
            {words.decline}
          </button>
          <button type="submit" className="primary" aria-disabled={isSent}>
            {url === undefined ? words.submit(server) : words.opened}
          </button>
        </div>
        <p className="muted small">{words.formLimit}</p>
      </div>
    </form>
  );
}
