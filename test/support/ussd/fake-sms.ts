/** The outbox `sms` for tests in the Workers runtime: the deployed modules with a mock provider. */
import type { Sender } from "../../../durable-objects/outbox/sender.ts";
import { securityNoticeText } from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import type { Database } from "../../../platform/database/database.ts";
import { createLogger } from "../../../platform/log.ts";
import { openSmsLimits } from "../../../workers/ussd/sms/outbox.ts";
import { createSecurityNoticeCollector } from "../../../workers/ussd/sms/security-notices.ts";
import { createSmsSender } from "../../../workers/ussd/sms/africas-talking.ts";
import { createFakeSmsProvider } from "./fake-sms-provider.ts";

export const fakeSms = createFakeSmsProvider();

/** The credentials of a deployment that sends SMS. */
export const smsVariables = {
  AFRICAS_TALKING_USERNAME: fakeSms.credentials.username,
  AFRICAS_TALKING_API_KEY: fakeSms.credentials.apiKey,
};

export function fakeSmsSender(database: Database, limiters: Pick<Env, "RATE_LIMITER">): Sender {
  const log = createLogger({ surface: "ussd" }, () => undefined);
  const collect = createSecurityNoticeCollector({
    database,
    text: securityNoticeText,
    settings: { app: "Twinedge" },
    defaultLanguage: "en",
    limits: openSmsLimits({ ...limiters, DATABASE: database }, log),
    clock: () => Date.now(),
    log,
  });
  const unset = { AFRICAS_TALKING_SENDER_ID: undefined, AFRICAS_TALKING_URL: undefined };
  return createSmsSender({ ...smsVariables, ...unset }, fakeSms.fetch, collect);
}
