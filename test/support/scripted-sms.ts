/** Text messages of the outbox that tests inside workerd use: a provider that they script, over the deployed parts. */
import type { Sender } from "../../durable-objects/outbox/sender.ts";
import { securityNoticeText } from "../../durable-objects/ussd-session/texts/security-notice.ts";
import { createLogger } from "../../workers/platform/log.ts";
import { openSmsLimits } from "../../workers/ussd/sms/limits.ts";
import { createSecurityNoticeCollector } from "../../workers/ussd/sms/security-notices.ts";
import { createSmsSender } from "../../workers/ussd/sms/africas-talking.ts";
import { createSmsProvider } from "./sms-provider.ts";

export const scriptedSms = createSmsProvider();

/** What makes a deployment send. */
export const smsVariables = {
  AFRICAS_TALKING_USERNAME: scriptedSms.credentials.username,
  AFRICAS_TALKING_API_KEY: scriptedSms.credentials.apiKey,
};

export function scriptedSmsSender(database: D1Database, limiters: Pick<Env, "RATE_LIMITER">): Sender {
  const log = createLogger({ surface: "ussd" }, () => undefined);
  const collect = createSecurityNoticeCollector({
    database,
    text: securityNoticeText,
    app: "Twinedge",
    defaultLanguage: "en",
    limits: openSmsLimits(limiters, log),
    clock: () => Date.now(),
    log,
  });
  const unset = { AFRICAS_TALKING_SENDER_ID: undefined, AFRICAS_TALKING_URL: undefined };
  return createSmsSender({ ...smsVariables, ...unset }, scriptedSms.fetch, collect);
}
