/** The user's tasks in a turn: calls to approve, forms to fill in, and sign-ins at other services. */
import type { PendingQuestion, UseChatResult } from "@twinedge/sdk";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { Icon } from "../kit/icon.tsx";
import { lazyPart } from "../kit/lazy-part.tsx";
import { chatTexts } from "../texts/chat.ts";
import { AnswerFailure } from "./answer-failure.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { useChatParts } from "./chat-context.ts";
import { placeOf } from "./draft-store.ts";
import { drafts } from "./drafts.ts";
import { useSignIns } from "./sign-ins.ts";
import { useAnswer } from "./use-answer.ts";
import { waitingServers } from "./waiting-servers.ts";

const QuestionForm = lazyPart(() => import("./question-form.tsx"));

export interface QuestionsProps {
  readonly chat: Pick<UseChatResult, "questions" | "signIns" | "messages" | "answerQuestion">;
  readonly sessionId: string;
  readonly onSay: (text: string) => void;
  /** The question with the focus is gone. */
  readonly onLeft: () => void;
}

export function Questions({ chat, sessionId, onSay, onLeft }: QuestionsProps) {
  const { questions, answerQuestion } = chat;
  const { did } = useChatParts().identity.signer;
  const forgetDraft = useCallback((id: string) => drafts.keep(did, placeOf(sessionId, id), ""), [did, sessionId]);
  const answered = useRef(new Set<string>());
  const answer: UseChatResult["answerQuestion"] = async (id, given) => {
    answered.current.add(id);
    try {
      await answerQuestion(id, given);
    } catch (error) {
      answered.current.delete(id);
      throw error;
    }
    forgetDraft(id);
  };
  useOverElsewhere(questions, answered, forgetDraft);
  const focus = useFocusLeft(questions, onLeft);
  return (
    <div className="chat-questions" aria-live="assertive" {...focus}>
      {questions.map((question) => (
        <Question
          key={question.id}
          question={question}
          draftPlace={placeOf(sessionId, question.id)}
          answerQuestion={answer}
        />
      ))}
      <SignInCards chat={chat} onSay={onSay} />
    </div>
  );
}

function Question({
  question,
  draftPlace,
  answerQuestion,
}: {
  readonly question: PendingQuestion;
  readonly draftPlace: string;
  readonly answerQuestion: UseChatResult["answerQuestion"];
}) {
  const answer = useAnswer(question, answerQuestion);
  if (question.kind === "approval")
    return (
      <ApprovalCard toolName={question.toolName} args={question.args} answer={answer}>
        <AnswerFailure error={question.error} />
      </ApprovalCard>
    );
  return <QuestionForm question={question} answer={answer} draftPlace={draftPlace} />;
}

/** Announces that a question is closed if it was not answered here. */
function useOverElsewhere(
  questions: readonly PendingQuestion[],
  answered: RefObject<ReadonlySet<string>>,
  onOver: (id: string) => void,
): void {
  const announce = useAnnounce();
  const before = useRef(questions);
  useEffect(() => {
    const isGone = ({ id }: PendingQuestion): boolean =>
      !answered.current.has(id) && !questions.some((each) => each.id === id);
    const over = before.current.filter(isGone);
    for (const { id } of over) onOver(id);
    if (over.length > 0) announce(chatTexts.question.over);
    before.current = questions;
  }, [questions, answered, onOver, announce]);
}

/** Browsers do not move the focus when the focused element is removed. */
function useFocusLeft(questions: readonly PendingQuestion[], onLeft: () => void) {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    onLeft();
  }, [questions, onLeft]);
  return {
    onFocus: () => void (hadFocus.current = true),
    // If it is still the active element, only the window has lost the focus. React reports no blur for elements that it removes.
    onBlur: ({ target }: { readonly target: EventTarget }) =>
      void (hadFocus.current = document.activeElement === target),
  };
}

interface SignInCardsProps {
  readonly chat: Pick<UseChatResult, "signIns" | "messages">;
  readonly onSay: (text: string) => void;
}

/** Sign-ins at other services that tools wait for. After signing in, the user can ask the question again from here. */
function SignInCards({ chat: { messages, signIns }, onSay }: SignInCardsProps) {
  const servers = waitingServers(messages, signIns);
  const { data } = useSignIns(servers.length > 0);
  return servers.map((server) => {
    const known = data?.servers.find(({ name }) => name === server);
    const url = known?.url ?? signIns.find((signIn) => signIn.server === server)?.url;
    if (known?.signedIn === true) return <SignedIn key={server} server={server} messages={messages} onSay={onSay} />;
    return url === undefined ? null : <SignIn key={server} server={server} url={url} />;
  });
}

function SignIn({ server, url }: { readonly server: string; readonly url: string }) {
  const words = chatTexts.question;
  return (
    <section className="notice" aria-label={words.signIn(server)}>
      <Icon name="keys" />
      <div className="stack tight">
        <p>{words.signInLead(server)}</p>
        <p>
          <a className="button primary" href={url} target="_blank" rel="noreferrer noopener">
            {words.signIn(server)} <Icon name="external" />
          </a>
        </p>
      </div>
    </section>
  );
}

function SignedIn({
  server,
  messages,
  onSay,
}: Pick<SignInCardsProps, "onSay"> & Pick<UseChatResult, "messages"> & { readonly server: string }) {
  const words = chatTexts.question;
  const asked = messages.findLast(({ type }) => type === "human")?.content;
  return (
    <section className="notice ok" aria-label={words.signedIn(server)}>
      <Icon name="check" />
      <div className="stack tight">
        <p>{words.signedIn(server)}</p>
        {typeof asked === "string" && (
          <p>
            <button type="button" className="primary" onClick={() => onSay(asked)}>
              {words.askAgain}
            </button>
          </p>
        )}
      </div>
    </section>
  );
}
