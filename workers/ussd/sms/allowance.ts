/**
 * How many text messages may go out (decisions/004). Whoever reaches the session endpoint can claim any phone number, and
 * each SMS is paid for: without a bound a stranger could fill a victim's phone, or have us pay for numbers of their own.
 */
import { describeThrown, type Logger } from "../../platform/log.ts";

/** Messages that one phone gets for itself, by Know More, in 24 hours. */
export const INFO_PER_PHONE = 5;
/** Messages of Know More to all phones in a minute: so few that security notices never wait behind them for long. */
export const INFO_PER_MINUTE = 60;
/**
 * Notices of one kind about one account in 24 hours. By account and kind, so that nobody can use up with acts of one's own
 * what another account, or a graver act, is to be told by.
 */
export const NOTICES_OF_A_KIND = 3;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

export interface SmsAllowance {
  /** Counts a message that a phone asked for. Throws when it cannot be counted: then none is sent. */
  info(phoneNumber: string): Promise<boolean>;
  /** Counts a notice. One that cannot be counted is sent. */
  notice(customerId: string, kind: string): Promise<boolean>;
}

export function openSmsAllowance({ RATE_LIMITER }: Pick<Env, "RATE_LIMITER">, log: Logger): SmsAllowance {
  async function take(what: string, limit: number, windowSeconds: number): Promise<boolean> {
    const { admitted } = await RATE_LIMITER.getByName(`ussd-sms:${what}`).take(limit, windowSeconds);
    return admitted;
  }

  return {
    info: async (phoneNumber) =>
      (await take(phoneNumber, INFO_PER_PHONE, DAY_SECONDS)) && (await take("all", INFO_PER_MINUTE, MINUTE_SECONDS)),
    async notice(customerId, kind) {
      try {
        return await take(`${customerId}:${kind}`, NOTICES_OF_A_KIND, DAY_SECONDS);
      } catch (thrown) {
        log.warn("notice-uncounted", { reason: describeThrown(thrown) });
        return true;
      }
    },
  };
}
