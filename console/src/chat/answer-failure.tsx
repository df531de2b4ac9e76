/** Shows why the last answer to a question failed, next to the question, which can be answered again. */
import type { PendingQuestion } from "@twinedge/sdk";
import { ErrorPanel } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import { asApiFailure } from "./failure-facts.ts";

export function AnswerFailure({ error }: Pick<PendingQuestion, "error">) {
  if (error === undefined) return null;
  return (
    <>
      <ErrorPanel error={asApiFailure(error)} />
      <p>{chatTexts.question.answerAgain}</p>
    </>
  );
}
