import { expect, test } from "vitest";
import { dictionaryOf, LANGUAGES } from "./dictionary.ts";
import { securityNoticeText } from "./security-notice.ts";
import { septetsOf } from "../../../shared/gsm7.ts";
import { isGsm7 } from "./characters.ts";
import type { NoticeTopic } from "./translation.ts";

/** Septets of one SMS. */
const ONE_SMS = 160;
const AT = Date.parse("2026-11-21T09:00:59Z");
/** The widest of all values: a name of 20 characters, an imported id, a lock of a day. */
const WIDEST = { customerId: "CABCDEFGHIJKLMNOPQ43219", at: AT, minutes: 1_440 };
const WIDEST_APP = "A".repeat(20);

const topics = (Object.keys(dictionaryOf("en").notices) as NoticeTopic[]).filter((topic) => topic !== "accountCreated");
/** The longest number that a deployment can name. */
const supportPhone = "+123456789012345";

test.each(LANGUAGES.flatMap((language) => topics.map((topic) => [language, topic] as const)))(
  "%s, %s: one SMS in the GSM alphabet with the service, the time and the end of the account's id [PH-109]",
  (language, topic) => {
    const text = securityNoticeText({ ...WIDEST, topic }, language, { app: WIDEST_APP });
    const named = securityNoticeText({ ...WIDEST, topic }, language, { app: WIDEST_APP, supportPhone });
    for (const message of [text, named]) {
      expect(isGsm7(message), message).toBe(true);
      expect(septetsOf(message), message).toBeLessThanOrEqual(ONE_SMS);
    }
    expect(text).toMatch(new RegExp(`^${WIDEST_APP} ?: `));
    expect(text).toContain("..3219");
    expect(text).not.toContain("43219");
    expect(text).toContain("2026-11-21 09:00 UTC");
    expect(text.includes("1440")).toBe(topic === "accountLocked" || topic === "otherPhonesLocked");
    expect(text).not.toMatch(/[{}]/);
  },
);

test("folds a name outside the GSM alphabet as far as possible", () => {
  expect(securityNoticeText({ ...WIDEST, topic: "pinChanged" }, "en", { app: "Ação" })).toMatch(/^Acao: the PIN/);
});

test.each(LANGUAGES)("%s: a new Customer ID is whole, in one SMS [PH-119]", (language) => {
  const widest = { ...WIDEST, customerId: `C${"9".repeat(19)}`, topic: "accountCreated" as const };
  const text = securityNoticeText(widest, language, { app: WIDEST_APP });
  expect(text).toContain(widest.customerId);
  expect(isGsm7(text), text).toBe(true);
  expect(septetsOf(text), text).toBeLessThanOrEqual(ONE_SMS);
});

test.each(LANGUAGES)("%s: a notice contains the operator's number, if there is one [PH-124]", (language) => {
  const notice = { ...WIDEST, topic: "newPhone" as const };
  expect(securityNoticeText(notice, language, { app: "App", supportPhone })).toContain(`${supportPhone}.`);
  expect(securityNoticeText(notice, language, { app: "App" })).not.toMatch(/\d{7}|[{}?]{2}/);
});
