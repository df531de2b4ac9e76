/** Display names of webhooks and deliveries, and how often they are polled. */
import type { components } from "../../api/paths.d.ts";
import { changeInSentence, changeNames } from "../../texts/changes.ts";

const reasons = {
  redirect: "answered with a redirect, which is not followed",
  timeout: "no answer within 15 s",
  unreachable: "could not be reached",
  interrupted: "the last attempt was interrupted",
  gone: "answered 410 Gone",
  "host-not-allowed": "its host is not listed",
  "no-secret": "it has no signing secret",
} as Readonly<Record<string, string>>;

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithQueue = components["schemas"]["WebhookWithQueue"];
export type Delivery = components["schemas"]["WebhookDelivery"];
export type Action = Webhook["actions"][number];

export const actions = Object.keys(changeNames) as readonly Action[];

/** The subject of a delivery, in words. */
export function typeInWords(type: string): string {
  if (type === "webhook.ping") return "Test message";
  const change = type.replace(/^domain\./, "");
  return change in changeNames ? `Domain: ${changeInSentence(change)}` : type;
}

/** The result of the last attempt, in words; empty before the first. */
export function outcomeInWords({ lastStatus, lastReason }: Pick<Delivery, "lastStatus" | "lastReason">): string {
  if (lastReason === null || lastReason === "status") return lastStatus === null ? "" : `answered ${lastStatus}`;
  return reasons[lastReason] ?? lastReason;
}

/** Milliseconds between two polls: while a message is about to be sent, and otherwise. */
const REFRESH_BUSY = 1_000;
const REFRESH_IDLE = 5_000;
/** Milliseconds before an attempt from which it counts as imminent. */
const SOON = 10_000;

/** @param nextAttemptAt of the waiting messages; null if there are none, or the webhook does not send. */
export function refreshEvery(nextAttemptAt: string | null, now: number): number {
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) - now <= SOON ? REFRESH_BUSY : REFRESH_IDLE;
}
