/**
 * How many text messages are sent. Anyone who reaches the session endpoint can claim any phone number, and each SMS costs
 * money: without limits an attacker could flood a phone, or make the service pay for messages to their own numbers.
 */
import { describeThrown, type Logger } from "../../platform/log.ts";

/** Information messages to one phone in 24 hours. */
export const INFO_PER_PHONE = 5;
/** Information messages to all phones in a minute: few enough that security notices never wait long behind them. */
export const INFO_PER_MINUTE = 60;
/** Security notices of one kind about one account in 24 hours. Other accounts and kinds have their own limit. */
export const NOTICES_PER_KIND = 3;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

export interface SmsLimits {
  /** Counts an information message. Throws when it cannot be counted: then none is sent. */
  allowInfo(phoneNumber: string): Promise<boolean>;
  /** Counts a security notice. One that cannot be counted is sent. */
  allowNotice(customerId: string, kind: string): Promise<boolean>;
}

export function openSmsLimits({ RATE_LIMITER }: Pick<Env, "RATE_LIMITER">, log: Logger): SmsLimits {
  async function take(name: string, limit: number, windowSeconds: number): Promise<boolean> {
    const { admitted } = await RATE_LIMITER.getByName(`ussd-sms:${name}`).take(limit, windowSeconds);
    return admitted;
  }

  return {
    allowInfo: async (phoneNumber) =>
      (await take(phoneNumber, INFO_PER_PHONE, DAY_SECONDS)) && (await take("all", INFO_PER_MINUTE, MINUTE_SECONDS)),
    async allowNotice(customerId, kind) {
      try {
        return await take(`${customerId}:${kind}`, NOTICES_PER_KIND, DAY_SECONDS);
      } catch (thrown) {
        log.warn("security-notice-not-counted", { reason: describeThrown(thrown) });
        return true;
      }
    },
  };
}
