/**
 * A payer's remaining credits at a subscription service: `GET <SUBSCRIPTION_URL>/api/v1/subscriptions`, with an invocation from the
 * user's delegation. The answer is cached for three minutes in the isolate that asked.
 */
import * as z from "zod";
import { microOf } from "../../../protocol/credits.ts";
import type { CreditReport } from "./ledger-rpc.ts";
import type { RequestContext } from "../../framework/context.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import type { Logger } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";

/** How long an answer is cached, milliseconds. */
export const REPORT_LIFETIME_MS = 180_000;
/** Time limit of the service, milliseconds: less than a gate's, and a user waits for it. */
export const SUBSCRIPTION_TIME_LIMIT_MS = 5_000;
/** Maximum bytes read of an answer. */
export const SUBSCRIPTION_BYTES = 64 * 1024;
/** How many payers an isolate caches. */
const REMEMBERED = 1_000;

export const NO_SUBSCRIPTION = "No subscription for this account";
export const INACTIVE = "The subscription is not active";
export const UNCHECKED = "The subscription could not be checked";

/** The capability that clients delegate to an oracle for this; the issuer of the delegation is the subscriber. */
const READ_SUBSCRIPTIONS = { can: "subscriptions/read", with: "ixo:subscriptions" };

/** The subscription states in which credits may be used. */
const USABLE = ["active", "trial"];

const subscription = z.object({ status: z.string(), totalCredits: z.number().nonnegative() });

/** An error is one of the four sentences for a payer whose message is refused. */
export type Report = Result<CreditReport, string>;

export type ReadReport = (ctx: Pick<RequestContext, "ucan" | "user" | "logger">, serviceUrl: string) => Promise<Report>;

export interface SubscriptionOptions {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly now: () => number;
}

export function createSubscriptions({ fetch, now }: SubscriptionOptions): ReadReport {
  const known = new Map<string, { readonly report: Report; readonly readAt: number }>();

  return async ({ ucan, user, logger }, serviceUrl) => {
    const key = JSON.stringify([serviceUrl, user.payer]);
    const remembered = known.get(key);
    if (remembered !== undefined && now() - remembered.readAt < REPORT_LIFETIME_MS) return remembered.report;
    // Taken before the request: usage from here on may be missing in the answer.
    const readAt = now();
    const { origin } = new URL(serviceUrl);
    const minted = await ucan.mintInvocation(origin, READ_SUBSCRIPTIONS);
    if (!minted.ok) {
      logger.info("subscription-not-permitted", { reason: minted.error.code });
      return failure(UNCHECKED);
    }
    const report = await ask(serviceUrl, minted.value, readAt, logger);
    // An answer that could not be checked is not cached; the others change slowly.
    if (report.ok || report.error !== UNCHECKED) {
      known.delete(key);
      known.set(key, { report, readAt });
      for (const oldest of known.keys()) {
        if (known.size <= REMEMBERED) break;
        known.delete(oldest);
      }
    }
    return report;
  };

  async function ask(serviceUrl: string, invocation: string, readAt: number, logger: Logger): Promise<Report> {
    try {
      const response = await fetch(`${serviceUrl.replace(/\/+$/, "")}/api/v1/subscriptions`, {
        headers: { Accept: "application/json", Authorization: `Bearer ${invocation}`, "X-Auth-Type": "ucan" },
        redirect: "manual",
        signal: AbortSignal.timeout(SUBSCRIPTION_TIME_LIMIT_MS),
      });
      if (response.status === 404) {
        await response.body?.cancel();
        return failure(NO_SUBSCRIPTION);
      }
      if (!response.ok) {
        await response.body?.cancel();
        return unchecked(logger, `status ${response.status}`);
      }
      const read = subscription.safeParse(JSON.parse(await limitedText(response)));
      if (!read.success) return unchecked(logger, "the answer has no status and totalCredits");
      const { status, totalCredits } = read.data;
      if (!USABLE.includes(status)) return failure(INACTIVE);
      return success({ credits: microOf(totalCredits), readAt });
    } catch (thrown) {
      return unchecked(logger, thrown instanceof Error ? thrown.name : "unknown");
    }
  }
}

function unchecked(logger: Logger, reason: string): Report {
  logger.warn("subscription-unchecked", { reason });
  return failure(UNCHECKED);
}

async function limitedText(response: Response): Promise<string> {
  const bytes = await readLimited(response, SUBSCRIPTION_BYTES);
  if (!bytes.ok) throw new RangeError("the answer cannot be read");
  return new TextDecoder().decode(bytes.value);
}
