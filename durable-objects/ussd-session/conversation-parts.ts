/**
 * What all sessions of an isolate have in common: the machine over its effects, and how screens are shown. Built once,
 * since a machine is data and costs more to make than to run.
 */
import { describeThrown, type Logger } from "../../workers/platform/log.ts";
import type { ConversationParts } from "./conversation.ts";
import { createDemand } from "./demand.ts";
import { createEffects, type EffectParts } from "./port-effects.ts";
import { createUssdMachine } from "./machines/ussd.ts";
import type { ScreenLimit } from "./characters/septets.ts";

export interface ConversationSettings {
  readonly limit: ScreenLimit;
  readonly answerPages: number;
  /** Milliseconds. */
  readonly replyBudgetMs: number;
  readonly oracleBudgetMs: number;
  readonly log: Logger;
}

export function createConversationParts(
  effects: Omit<EffectParts, "demand">,
  settings: ConversationSettings,
): ConversationParts {
  const demand = createDemand(effects.clock);
  const { limit, answerPages, replyBudgetMs, oracleBudgetMs, log } = settings;
  return {
    machine: createUssdMachine(createEffects({ ...effects, demand })),
    demand,
    screens: { app: effects.app, answerPages },
    limit,
    replyBudgetMs,
    oracleBudgetMs,
    clock: effects.clock,
    after: effects.after,
    effectFailed: (error) => log.error("effect-failed", { reason: describeThrown(error) }),
  };
}
