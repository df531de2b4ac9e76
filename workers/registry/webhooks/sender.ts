/**
 * Delivers to webhooks: collects the changes for an Outbox `webhook:<id>` from the change feed, and sends one message
 * (Standard Webhooks). The Outbox schedules retries (durable-objects/outbox).
 */
import type { Database } from "../../../platform/database/database.ts";
import type { Attempt, Collected, Sender, AttemptResult } from "../../../durable-objects/outbox/sender.ts";
import type { Fetch } from "../../../platform/auth/shared-lookups.ts";
import type { Logger } from "../../../platform/log.ts";
import { readChanges, readClasses, type FeedChange } from "../store/change-store.ts";
import { disabledReasons, disableWebhook, readWebhook, type Webhook } from "../store/webhook-store.ts";
import { type AddressRule, webhookAddress } from "./address.ts";
import { changeMessage, signedHeaders } from "./message.ts";

/** Milliseconds that a receiver has to answer, as the scheme advises (15 to 30 s). */
export const ANSWER_TIME = 15_000;
/** Delivered messages that are kept for the list and for replay. */
const KEPT_DELIVERIES = 200;
/** Changes that are read at once; a filter may match few of them. */
const SCANNED_CHANGES = 100;

export interface WebhookPlatform {
  readonly database: Database;
  readonly rule: AddressRule;
  readonly fetch: Fetch;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  /** Milliseconds for which ended deliveries are kept at most. */
  readonly keptTime?: number | undefined;
}

export function createWebhookSender(platform: WebhookPlatform): Sender {
  const { database, clock, log } = platform;
  return {
    keeps: { delivered: KEPT_DELIVERIES, bodies: true, time: platform.keptTime },
    async open(name) {
      const id = name.slice(name.indexOf(":") + 1);
      const webhook = await readWebhook(database, id);
      if (webhook === undefined) return "none";
      if (!webhook.enabled) return "paused";
      return {
        collect: (cursor, limit) => collectChanges(database, webhook, cursor, limit),
        send: (attempt) => sendMessage(platform, webhook.url, attempt),
        async turnedOff(reason) {
          const known = disabledReasons.find((each) => each === reason) ?? "failing";
          await disableWebhook(database, id, known, clock());
          log.warn("webhook-disabled", { webhook: id, reason: known });
        },
      };
    },
  };
}

/** Reads more changes than it can take, and ends after the last one that it took. */
async function collectChanges(database: Database, webhook: Webhook, cursor: number, limit: number): Promise<Collected> {
  const { changes, newest } = await readChanges(database, cursor, SCANNED_CHANGES);
  const wanted = await wantedOf(database, webhook, changes);
  const taken = wanted.slice(0, limit);
  const scanned = wanted.length > taken.length ? taken : changes;
  const end = scanned.at(-1)?.seq ?? cursor;
  return { messages: taken.map((change) => changeMessage(webhook.id, change)), cursor: end, more: end < newest };
}

type Filter = Pick<Webhook, "actions" | "domains" | "classes">;

async function wantedOf(
  database: Database,
  { actions, domains, classes }: Filter,
  changes: readonly FeedChange[],
): Promise<readonly FeedChange[]> {
  const named = changes.filter(
    ({ action, domainId }) =>
      (actions.length === 0 || actions.includes(action)) && (domains.length === 0 || domains.includes(domainId)),
  );
  if (classes.length === 0 || named.length === 0) return named;
  const known = await readClasses(database, named);
  return named.filter(({ seq, changes: members }) => {
    const before = members.find(({ path }) => path === CLASS_PATH)?.from;
    return [known.get(seq), before].some((each) => typeof each === "string" && classes.includes(each));
  });
}

/** A change of the class in a history entry. */
const CLASS_PATH = "/class";

async function sendMessage(
  { rule, fetch, clock }: WebhookPlatform,
  url: string,
  { message, secrets }: Attempt,
): Promise<AttemptResult> {
  // Checked again, because the operator may have changed the allowed hosts since the webhook was created.
  const address = webhookAddress(url, rule);
  if (!address.ok) return { kind: "off", reason: "host-not-allowed" };
  if (secrets.length === 0) return { kind: "failed", reason: "no-secret" };
  // Outside the try block below: a secret that cannot sign is not the receiver's fault.
  const signed = signedHeaders({ id: message.id, at: clock(), body: message.body, secrets });
  const late = new AbortController();
  // Not AbortSignal.timeout, which would keep the object in memory long after the response.
  const timer = setTimeout(() => late.abort(), ANSWER_TIME);
  try {
    const response = await fetch(address.value.href, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "twinedge-webhooks/1",
        ...signed,
      },
      body: message.body,
      // A redirect could lead to a host that is not allowed.
      redirect: "manual",
      signal: late.signal,
    });
    await response.body?.cancel();
    return attemptResultOf(response, clock());
  } catch {
    return { kind: "failed", reason: late.signal.aborted ? "timeout" : "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}

/** Statuses of temporary refusals: Request Timeout, Too Early, Too Many Requests. */
const passing: readonly number[] = [408, 425, 429];

/**
 * By the scheme, 2xx is success and 410 means that the receiver is gone. Any other 4xx concerns this message and would
 * repeat, so the message becomes a dead letter at once; everything else is retried.
 */
function attemptResultOf({ status, headers }: Response, now: number): AttemptResult {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "off", reason: "gone", status };
  if (status >= 300 && status < 400) return { kind: "failed", reason: "redirect", status };
  if (status >= 400 && status < 500 && !passing.includes(status)) return { kind: "refused", reason: "status", status };
  return { kind: "failed", reason: "status", status, ...retryAfter(headers.get("Retry-After"), now) };
}

/** Seconds or a date. */
function retryAfter(header: string | null, now: number): { readonly retryAfterMs?: number } {
  if (header === null) return {};
  const milliseconds = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return milliseconds > 0 ? { retryAfterMs: milliseconds } : {};
}
