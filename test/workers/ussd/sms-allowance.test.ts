/** How many text messages may go out, counted by real limiters (decisions/004). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createLogger } from "../../../workers/platform/log.ts";
import {
  INFO_PER_MINUTE,
  INFO_PER_PHONE,
  NOTICES_OF_A_KIND,
  openSmsAllowance,
} from "../../../workers/ussd/sms/allowance.ts";
import { newCaller } from "../../support/ussd/accounts.ts";

const log: string[] = [];
const logger = createLogger({}, (_, line) => log.push(line));
const allowance = openSmsAllowance(env, logger);

/** How many of so many are allowed, all at once. */
async function allowed(count: number, take: (index: number) => Promise<boolean>): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: count }, (_, index) => take(index)));
  return verdicts.filter(Boolean).length;
}

test("one phone gets so many in a day, however parallel; all phones together so many in a minute", async () => {
  const { phoneNumber } = newCaller();
  expect(await allowed(INFO_PER_PHONE + 3, () => allowance.info(phoneNumber))).toBe(INFO_PER_PHONE);
  expect(await allowance.info(phoneNumber)).toBe(false);
  const rest = await allowed(INFO_PER_MINUTE, () => allowance.info(newCaller().phoneNumber));
  expect(rest).toBe(INFO_PER_MINUTE - INFO_PER_PHONE);
});

test("notices are counted by account and kind", async () => {
  const id = crypto.randomUUID();
  expect(await allowed(NOTICES_OF_A_KIND + 1, () => allowance.notice(id, "PIN_CHANGED"))).toBe(NOTICES_OF_A_KIND);
  expect(await allowance.notice(id, "PIN_RESET")).toBe(true);
  expect(await allowance.notice(crypto.randomUUID(), "PIN_CHANGED")).toBe(true);
});

test("without its limiter a notice goes out, and a message that anyone can ask for does not", async () => {
  const lost = {
    RATE_LIMITER: {
      getByName() {
        throw new Error("lost");
      },
    },
  } as unknown as Env;
  const { info, notice } = openSmsAllowance(lost, logger);
  expect(await notice("C1", "PIN_CHANGED")).toBe(true);
  expect(log.join()).toContain("notice-uncounted");
  await expect(info("+260971230001")).rejects.toThrow("lost");
});
