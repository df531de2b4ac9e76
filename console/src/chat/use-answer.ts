/** Answers one question of the oracle, once, even if the user presses repeatedly. */
import type { PendingQuestion, UseChatResult } from "@twinedge/sdk";
import { useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";

export interface QuestionAnswer {
  /** @param said the announcement once the answer was sent. */
  readonly send: (answer: Record<string, unknown>, said: string) => void;
  /** The answer was sent: another one would have no effect. */
  readonly isSent: boolean;
}

export function useAnswer({ id }: PendingQuestion, answerQuestion: UseChatResult["answerQuestion"]): QuestionAnswer {
  const announce = useAnnounce();
  const [isSent, setIsSent] = useState(false);
  const send = async (answer: Record<string, unknown>, said: string): Promise<void> => {
    if (isSent) return;
    setIsSent(true);
    try {
      await answerQuestion(id, answer);
      announce(said);
    } catch {
      // The question is shown again, with the reason.
      setIsSent(false);
    }
  };
  return { send: (answer, said) => void send(answer, said), isSent };
}
