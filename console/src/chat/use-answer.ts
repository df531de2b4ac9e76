/** Answers one question of the oracle, once however often somebody presses. */
import type { UseChatResult } from "@twinedge/sdk";
import { useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { asApiFailure } from "./failure-facts.ts";

export interface Answer {
  /** @param said what is said once the answer is on its way. */
  readonly send: (answer: Record<string, unknown>, said: string) => void;
  /** The answer is on its way: another one would change nothing. */
  readonly isSent: boolean;
  /** Why it did not get there. */
  readonly failure: unknown;
}

export function useAnswer(id: string, answerQuestion: UseChatResult["answerQuestion"]): Answer {
  const announce = useAnnounce();
  const [isSent, setIsSent] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const send = async (answer: Record<string, unknown>, said: string): Promise<void> => {
    if (isSent) return;
    setIsSent(true);
    setFailure(undefined);
    try {
      await answerQuestion(id, answer);
      announce(said);
    } catch (error) {
      setFailure(asApiFailure(error));
      setIsSent(false);
    }
  };
  return { send: (answer, said) => void send(answer, said), isSent, failure };
}
