/** How many text messages may go out, counted by real limiters (decisions/004). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createLogger } from "../../../workers/platform/log.ts";
import { INFO_PER_MINUTE, INFO_PER_PHONE, NOTICES_PER_KIND, openSmsLimits } from "../../../workers/ussd/sms/limits.ts";
import { newCaller } from "../../support/ussd/accounts.ts";

const log: string[] = [];
const logger = createLogger({}, (_, line) => log.push(line));
const limits = openSmsLimits(env, logger);

/** How many of so many are allowed, all at once. */
async function allowed(count: number, take: (index: number) => Promise<boolean>): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: count }, (_, index) => take(index)));
  return verdicts.filter(Boolean).length;
}

test("one phone gets so many in a day, however parallel; all phones together so many in a minute", async () => {
  const { phoneNumber } = newCaller();
  expect(await allowed(INFO_PER_PHONE + 3, () => limits.allowInfo(phoneNumber))).toBe(INFO_PER_PHONE);
  expect(await limits.allowInfo(phoneNumber)).toBe(false);
  const rest = await allowed(INFO_PER_MINUTE, () => limits.allowInfo(newCaller().phoneNumber));
  expect(rest).toBe(INFO_PER_MINUTE - INFO_PER_PHONE);
});

test("notices are counted by account and kind", async () => {
  const id = crypto.randomUUID();
  expect(await allowed(NOTICES_PER_KIND + 1, () => limits.allowNotice(id, "PIN_CHANGED"))).toBe(NOTICES_PER_KIND);
  expect(await limits.allowNotice(id, "PIN_RESET")).toBe(true);
  expect(await limits.allowNotice(crypto.randomUUID(), "PIN_CHANGED")).toBe(true);
});

test("without its limiter a notice goes out, and a message that anyone can ask for does not", async () => {
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
