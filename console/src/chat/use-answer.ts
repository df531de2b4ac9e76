/** Answers one question of the oracle, once however often somebody presses. */
import type { PendingQuestion, UseChatResult } from "@twinedge/sdk";
import { useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";

export interface QuestionAnswer {
  /** @param said what is said once the answer is on its way. */
  readonly send: (answer: Record<string, unknown>, said: string) => void;
  /** The answer is on its way: another one would change nothing. */
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
      // The question is asked again, with the reason.
      setIsSent(false);
    }
  };
  return { send: (answer, said) => void send(answer, said), isSent };
}
