/** The settings of a deployment's phone sessions: rules, limits, ports. `workers/ussd` reads them from the environment. */
import type { TextRules } from "./input/text-meaning.ts";
import type { EffectPorts } from "./menus/effects.ts";
import type { DigestPort, StatisticsPort } from "./ports.ts";
import type { ScreenLimit } from "./texts/characters.ts";
import type { Language } from "./texts/dictionary.ts";

export interface SessionRules extends Pick<TextRules, "replayWindowMs" | "directDial"> {
  readonly textMode: TextRules["mode"];
  /** Milliseconds without a request until the session expires, and for which an END is remembered. */
  readonly lifetimeMs: number;
  /** Milliseconds for which a draft can be claimed; 0 for never. */
  readonly resumeWindowMs: number;
  readonly defaultLanguage: Language;
}

export interface UssdSettings extends Pick<EffectPorts, "accounts" | "domains" | "oracle" | "sms" | "app"> {
  readonly rules: SessionRules;
  readonly digests: DigestPort;
  readonly statistics: StatisticsPort;
  readonly limit: ScreenLimit;
  /** The operator's phone number; undefined if none is configured. */
  readonly supportPhone?: string | undefined;
  /** Maximum pages of an answer of the oracle. */
  readonly answerPages: number;
  /** Milliseconds that a reply waits for a lookup, and for the oracle. */
  readonly replyBudgetMs: number;
  readonly oracleBudgetMs: number;
  /** Requests of one phone per minute; 0 for no limit. */
  readonly phoneRatePerMinute: number;
}
