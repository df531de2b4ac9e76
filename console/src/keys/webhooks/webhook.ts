/** Webhooks and deliveries as the screen has them: what they are called, and how often they are asked for. */
import type { components } from "../../api/paths.d.ts";
import { changeInSentence, changeNames } from "../../texts/changes.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithQueue = components["schemas"]["WebhookWithQueue"];
export type Delivery = components["schemas"]["WebhookDelivery"];
export type Action = Webhook["actions"][number];

export const actions = Object.keys(changeNames) as readonly Action[];

/** What a delivery is about, in words. */
export function typeInWords(type: string): string {
  if (type === "webhook.ping") return webhooksTexts.pingType;
  const change = type.replace(/^domain\./, "");
  return change in changeNames ? webhooksTexts.messageType(changeInSentence(change)) : type;
}

/** What came of the last attempt, in words; empty before the first. */
export function outcomeInWords({ lastStatus, lastReason }: Pick<Delivery, "lastStatus" | "lastReason">): string {
  if (lastReason === null || lastReason === "status")
    return lastStatus === null ? "" : webhooksTexts.answered(lastStatus);
  return webhooksTexts.reasons[lastReason] ?? lastReason;
}

/** Milliseconds between two requests: while a message is about to be sent, and while none is. */
const REFRESH_BUSY = 1_000;
const REFRESH_IDLE = 5_000;
/** Milliseconds before an attempt from which it counts as about to be made. */
const SOON = 10_000;

/** @param nextAttemptAt of what waits; null when nothing does, or nothing is sent. */
export function refreshEvery(nextAttemptAt: string | null, now: number): number {
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) - now <= SOON ? REFRESH_BUSY : REFRESH_IDLE;
}
