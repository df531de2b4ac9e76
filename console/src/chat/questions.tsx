/** What a turn waits for: calls to approve, forms to fill in, and sign-ins at other services. */
import type { PendingQuestion, UseChatResult } from "@twinedge/sdk";
import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { lazyPart } from "../kit/lazy-part.tsx";
import { chatTexts } from "../texts/chat.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { SignInCards } from "./sign-in-cards.tsx";
import { useAnswer } from "./use-answer.ts";

const QuestionForm = lazyPart(() => import("./question-form.tsx"));

export interface QuestionsProps {
  readonly chat: Pick<UseChatResult, "questions" | "signIns" | "messages" | "answerQuestion">;
  readonly onSay: (text: string) => void;
  /** The question that had the focus is gone. */
  readonly onLeft: () => void;
}

export function Questions({ chat, onSay, onLeft }: QuestionsProps) {
  const { questions, answerQuestion } = chat;
  const answered = useRef(new Set<string>());
  const answer: UseChatResult["answerQuestion"] = (id, given) => {
    answered.current.add(id);
    return answerQuestion(id, given);
  };
  useOverElsewhere(questions, answered);
  const focus = useFocusLeft(questions, onLeft);
  return (
    <div className="chat-questions" aria-live="assertive" {...focus}>
      {questions.map((question) => (
        <Question key={question.id} question={question} answerQuestion={answer} />
      ))}
      <SignInCards chat={chat} onSay={onSay} />
    </div>
  );
}

function Question({
  question,
  answerQuestion,
}: {
  readonly question: PendingQuestion;
  readonly answerQuestion: UseChatResult["answerQuestion"];
}) {
  const answer = useAnswer(question.id, answerQuestion);
  if (question.kind === "approval")
    return (
      <ApprovalCard toolName={question.toolName} args={question.args} answer={answer}>
        {answer.failure !== undefined && <ErrorPanel error={answer.failure} />}
      </ApprovalCard>
    );
  return <QuestionForm question={question} answer={answer} />;
}

/** Says of a question that it is over when nobody has answered it here. */
function useOverElsewhere(questions: readonly PendingQuestion[], answered: RefObject<ReadonlySet<string>>): void {
  const announce = useAnnounce();
  const before = useRef(questions);
  useEffect(() => {
    const isGone = ({ id }: PendingQuestion): boolean =>
      !answered.current.has(id) && !questions.some((each) => each.id === id);
    if (before.current.some(isGone)) announce(chatTexts.question.over);
    before.current = questions;
  }, [questions, answered, announce]);
}

/** A browser gives the focus to nothing when the element that has it is taken away. */
function useFocusLeft(questions: readonly PendingQuestion[], onLeft: () => void) {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    onLeft();
  }, [questions, onLeft]);
  return {
    onFocus: () => void (hadFocus.current = true),
    // Still the active element: its window alone has lost the focus. React reports no blur of what it takes away.
    onBlur: ({ target }: { readonly target: EventTarget }) =>
      void (hadFocus.current = document.activeElement === target),
  };
}
