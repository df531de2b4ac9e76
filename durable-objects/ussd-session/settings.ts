/** What a deployment says about its phone sessions: rules, budgets, ports. `workers/ussd` makes it of the environment. */
import type { EffectParts } from "./port-effects.ts";
import type { DigestPort, StatisticsPort } from "./ports.ts";
import type { ScreenLimit } from "./characters/septets.ts";
import type { SessionRules } from "./session-parts.ts";

export interface UssdSettings extends Pick<EffectParts, "accounts" | "domains" | "oracle" | "sms" | "app"> {
  readonly rules: SessionRules;
  readonly digests: DigestPort;
  readonly statistics: StatisticsPort;
  readonly limit: ScreenLimit;
  /** Pages of an answer of the oracle. */
  readonly answerPages: number;
  /** Milliseconds that a reply waits for a lookup, and for the oracle. */
  readonly replyBudgetMs: number;
  readonly oracleBudgetMs: number;
  /** Requests of one phone per minute; 0: as many as it likes. */
  readonly phoneRatePerMinute: number;
}
