/** What a refused PIN is told as, at login and when the PIN is changed (contract/ussd.md sections 5.5 and 5.7). */
import type { Forgotten } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { LoginOutcome } from "../ports.ts";

export function noticeOfLogin(outcome: LoginOutcome | Forgotten, refusal: "wrongLogin" | "wrongPin"): Notice {
  switch (outcome.state) {
    case "refused": {
      const { attemptsUsed: used, attemptsLeft: left } = outcome;
      return { reason: refusal, values: { used, left, limit: used + left } };
    }
    case "locked":
      return { reason: "locked", values: { minutes: outcome.minutes } };
    case "expired":
      return { reason: "pinExpired" };
    case "forgotten":
    case "accepted":
      return { reason: "unavailable" };
  }
}
