/** Why a new PIN was not taken, as a notice (contract/ussd.md sections 5.6 and 7). */
import type { Forgotten } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { NewPinOutcome } from "../ports.ts";

const reasons = { shape: "newPinFormat", weak: "weakPin", same: "samePin" } as const;

export function flawNotice(outcome: NewPinOutcome | Forgotten): Notice {
  return { reason: "flaw" in outcome ? reasons[outcome.flaw] : "unavailable" };
}
