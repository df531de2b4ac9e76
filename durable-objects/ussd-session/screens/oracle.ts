/** OQ, OW and OA: the question, the wait, the answer (contract/ussd.md section 5.7). */
import { printableProse } from "../characters/folding.ts";
import type { Dictionary } from "../i18n/dictionary.ts";
import { line, menu, option, prompt, type Screen } from "./screen.ts";

export const ORACLE_KEYS = { checkAgain: "1", askAgain: "1" } as const;

export function questionScreen({ texts }: Dictionary): Screen {
  return prompt("OQ", [line(texts.questionPrompt)]);
}

export function oracleWorkingScreen({ texts }: Dictionary): Screen {
  return menu("OW", [line(texts.oracleWorking), option(ORACLE_KEYS.checkAgain, texts.checkAgain)]);
}

export interface AnswerData {
  readonly answer: string;
  readonly maxPages: number;
}

export function answerScreen({ texts }: Dictionary, { answer, maxPages }: AnswerData): Screen {
  const blocks = [
    { kind: "prose", text: printableProse(answer) } as const,
    option(ORACLE_KEYS.askAgain, texts.askAgain),
  ];
  return menu("OA", blocks, { maxPages });
}
