/** Limits on text messages, counted by real limiters. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import {
  INFO_PER_MINUTE,
  INFO_PER_PHONE,
  INFO_TO_NEW_PHONES_PER_MINUTE,
  NOTICES_PER_KIND,
  OLDER_ACCOUNT_MS,
  openSmsLimits,
  type SmsLimitBindings,
} from "../../../workers/ussd/sms/outbox.ts";
import { HOUR, newCaller, newCustomer, testAccounts } from "../../support/ussd/accounts.ts";

const log: string[] = [];
const logger = createLogger({}, (_, line) => log.push(line));

/** Real limiters that no other test uses, and the real database. */
function ownLimiters(): SmsLimitBindings {
  const own = crypto.randomUUID();
  const getByName = (name: string) => env.RATE_LIMITER.getByName(`${own}:${name}`);
  return { RATE_LIMITER: { getByName }, DATABASE: env.DATABASE } as unknown as SmsLimitBindings;
}

/** The number of a phone from which an account was created this many milliseconds ago. */
async function customerPhone(age = OLDER_ACCOUNT_MS): Promise<string> {
  const accounts = await testAccounts(env.DATABASE);
  accounts.clock.now = Date.now() - age;
  const caller = newCaller();
  await newCustomer(accounts.port, caller);
  return caller.phoneNumber;
}

const customerPhones = (count: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, () => customerPhone()));

const limits = openSmsLimits(ownLimiters(), logger);

/** How many of `count` concurrent calls are allowed. */
async function allowed(count: number, take: (index: number) => Promise<boolean>): Promise<number> {
  const results = await Promise.all(Array.from({ length: count }, (_, index) => take(index)));
  return results.filter(Boolean).length;
}

test("five in 24 hours to one phone, even in parallel; 60 in a minute to all phones together [PH-107]", async () => {
  const phoneNumber = await customerPhone();
  const others = await customerPhones(INFO_PER_MINUTE);
  expect([INFO_PER_PHONE, INFO_PER_MINUTE, NOTICES_PER_KIND]).toEqual([5, 60, 3]);
  expect(await allowed(INFO_PER_PHONE + 3, () => limits.allowInfo(phoneNumber))).toBe(INFO_PER_PHONE);
  expect(await limits.allowInfo(phoneNumber)).toBe(false);
  const rest = await allowed(INFO_PER_MINUTE, (index) => limits.allowInfo(others[index] ?? ""));
  expect(rest).toBe(INFO_PER_MINUTE - INFO_PER_PHONE);
});

test("phones without an older account share 30 in a minute, and leave 30 to customers [PH-134]", async () => {
  expect([INFO_TO_NEW_PHONES_PER_MINUTE, OLDER_ACCOUNT_MS]).toEqual([30, 24 * HOUR]);
  const { allowInfo } = openSmsLimits(ownLimiters(), logger);
  const customers = await customerPhones(INFO_PER_MINUTE);
  // Accounts created for the SMS bring no advantage.
  const made = await Promise.all(Array.from({ length: 10 }, () => customerPhone(OLDER_ACCOUNT_MS - HOUR)));
  const madeUp = await allowed(2 * INFO_PER_MINUTE, (index) => allowInfo(made[index] ?? newCaller().phoneNumber));
  expect(madeUp).toBe(INFO_TO_NEW_PHONES_PER_MINUTE);
  const honest = await allowed(INFO_PER_MINUTE, (index) => allowInfo(customers[index] ?? ""));
  expect(honest).toBe(INFO_PER_MINUTE - INFO_TO_NEW_PHONES_PER_MINUTE);
});

test.each(["new phones", "customers"])(
  "a message that is refused because of all %s is not counted for its phone [PH-107, PH-134]",
  async (whose) => {
    const limiters = ownLimiters();
    const { allowInfo } = openSmsLimits(limiters, logger);
    const areNew = whose === "new phones";
    const customers = areNew ? [] : await customerPhones(INFO_PER_MINUTE);
    const phoneNumber = areNew ? newCaller().phoneNumber : await customerPhone();
    await allowed(INFO_PER_MINUTE, (index) => allowInfo(customers[index] ?? newCaller().phoneNumber));
    expect(await allowed(INFO_PER_PHONE, () => allowInfo(phoneNumber))).toBe(0);
    const ofPhone = limiters.RATE_LIMITER.getByName(`ussd-sms:${phoneNumber}`);
    expect((await ofPhone.take(INFO_PER_PHONE, 86_400)).remaining).toBe(INFO_PER_PHONE - 1);
  },
);

test("security notices are counted by account and kind [PH-111]", async () => {
  const id = crypto.randomUUID();
  expect(await allowed(NOTICES_PER_KIND + 1, () => limits.allowNotice(id, "PIN_CHANGED"))).toBe(NOTICES_PER_KIND);
  expect(await limits.allowNotice(id, "PIN_RESET")).toBe(true);
  expect(await limits.allowNotice(crypto.randomUUID(), "PIN_CHANGED")).toBe(true);
});

test("without its limiter a notice is sent, and an information message is not [PH-107, PH-111]", async () => {
  const lost = {
    RATE_LIMITER: {
      getByName() {
        throw new Error("lost");
      },
    },
  } as unknown as Env;
  const { allowInfo, allowNotice } = openSmsLimits(lost, logger);
  expect(await allowNotice("C1", "PIN_CHANGED")).toBe(true);
  expect(log.join()).toContain("security-notice-not-counted");
  await expect(allowInfo("+260971230001")).rejects.toThrow("lost");
});
