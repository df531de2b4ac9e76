import { describe, expect, test } from "vitest";
import { listsAddress } from "./address-list.ts";
import { parseUssdConfig } from "./config.ts";

const KEY = { PIN_ENCRYPTION_KEY: "ab".repeat(32) };

function wrongVariables(env: object): readonly string[] {
  const parsed = parseUssdConfig(env);
  return parsed.ok ? [] : parsed.error.map(({ variable }) => variable);
}

test("with only a key every variable has its default [PH-93]", () => {
  expect(parseUssdConfig(KEY)).toEqual({
    ok: true,
    value: {
      ...KEY,
      ENVIRONMENT: "production",
      LOG_LEVEL: "info",
      TRUST_PROXY_ENABLED: false,
      TRUST_PROXY_HOPS: 1,
      PIN_ENCRYPTION_KEY_ID: "k1",
      PIN_ENCRYPTION_KEYS_OLD: {},
      APP_NAME: "Digital Services",
      USSD_DEBUG_MASK: false,
      USSD_SESSION_TTL_SECONDS: 180,
      USSD_RESUME_WINDOW_SECONDS: 900,
      USSD_TEXT_MODE: "auto",
      USSD_TEXT_MODES: [],
      USSD_REPLAY_WINDOW_MS: 3_000,
      USSD_DIRECT_DIAL: true,
      USSD_SERVICE_CODES: [],
      USSD_PHONE_PLUS_OPTIONAL: false,
      USSD_REPLY_BUDGET_MS: 4_000,
      USSD_ORACLE_BUDGET_MS: 7_000,
      USSD_ORACLE_MAX_PAGES: 4,
      USSD_ORACLE_DAILY_LIMIT: 20,
      USSD_SCREEN_SEPTETS: 160,
      USSD_COUNT_PREFIX: true,
      USSD_DEFAULT_LANGUAGE: "en",
      USSD_PIN_MAX_ATTEMPTS: 3,
      USSD_PIN_LOCK_SECONDS: 900,
      USSD_TEMP_PIN_SECONDS: 1_800,
      USSD_MAX_ACCOUNTS_PER_PHONE: 5,
      USSD_RECORD_DAYS: 0,
      USSD_PHONE_DAYS: 0,
      USSD_STATISTICS_DAYS: 0,
      USSD_RATE_LIMIT_PER_MINUTE: 100,
      USSD_PHONE_RATE_PER_MINUTE: 0,
      USSD_GATEWAY_IPS: [],
      USSD_GATEWAY_RATE_PER_MINUTE: 6_000,
      USSD_ALLOWED_IPS: [],
    },
  });
});

test("lists are separated by commas and blanks", () => {
  const parsed = parseUssdConfig({ ...KEY, USSD_SERVICE_CODES: "*2233#, *144*1#", USSD_ALLOWED_IPS: "10.0.0.0/8 ::1" });
  if (!parsed.ok) throw new Error("refused");
  expect(parsed.value.USSD_SERVICE_CODES).toEqual(["*2233#", "*144*1#"]);
  expect(listsAddress(parsed.value.USSD_ALLOWED_IPS, "10.2.3.4")).toBe(true);
});

describe("at its limits [PH-93]", () => {
  test.each([
    ["USSD_SESSION_TTL_SECONDS", 30, 3_600],
    ["USSD_RESUME_WINDOW_SECONDS", 0, 86_400],
    ["USSD_REPLY_BUDGET_MS", 0, 9_000],
    ["USSD_ORACLE_BUDGET_MS", 0, 9_000],
    ["USSD_SCREEN_SEPTETS", 100, 182],
    ["USSD_PIN_MAX_ATTEMPTS", 1, 10],
    ["USSD_PIN_LOCK_SECONDS", 1, 86_400],
    ["USSD_TEMP_PIN_SECONDS", 60, 86_400],
    ["USSD_MAX_ACCOUNTS_PER_PHONE", 1, 100],
  ])("%s is %i to %i", (variable, least, most) => {
    for (const good of [least, most]) expect(wrongVariables({ ...KEY, [variable]: String(good) })).toEqual([]);
    for (const bad of [least - 1, most + 1, "x", 1.5]) {
      expect(wrongVariables({ ...KEY, [variable]: String(bad) }), String(bad)).toEqual([variable]);
    }
  });

  test.each([
    ["PIN_ENCRYPTION_KEY", "sixteen letters.", "fifteen letters"],
    ["PIN_ENCRYPTION_KEY_ID", "k-2_B", "k 2"],
    ["PIN_ENCRYPTION_KEYS_OLD", '{"k0":"sixteen letters."}', '{"k0":"fifteen letters"}'],
    ["PIN_ENCRYPTION_KEYS_OLD", "", "not JSON"],
    ["PIN_ENCRYPTION_KEYS_OLD", "{}", '{"k1":"sixteen letters."}'],
    ["APP_NAME", "a".repeat(20), "a".repeat(21)],
    ["USSD_OPERATOR_TOKEN", "x".repeat(24), "x".repeat(23)],
    ["USSD_PATH_SECRET", "x".repeat(16), "x".repeat(15)],
    ["USSD_PATH_SECRET", "", `${"x".repeat(16)}/y`],
    ["USSD_TEXT_MODE", "latest", "newest"],
    ["USSD_DEFAULT_LANGUAGE", "sw", "de"],
    ["LOG_LEVEL", "debug", "verbose"],
    ["AFRICAS_TALKING_URL", "http://localhost:1", "localhost"],
    ["USSD_SERVICE_CODES", "*1#", "*1"],
    ["USSD_GATEWAY_IPS", "::1", "localhost"],
    ["USSD_GATEWAY_RATE_PER_MINUTE", "0", "-1"],
    ["USSD_RATE_LIMIT_PER_MINUTE", "1", "0"],
    ["USSD_DIRECT_DIAL", "false", "no"],
    ["TRUST_PROXY_HOPS", "1", "0"],
  ])("%s accepts %j, not %j", (variable, good, bad) => {
    expect(wrongVariables({ ...KEY, [variable]: good })).toEqual([]);
    expect(wrongVariables({ ...KEY, [variable]: bad })).toEqual([variable]);
  });
});

test("credentials for SMS are set together [PH-105]", () => {
  const username = { ...KEY, AFRICAS_TALKING_USERNAME: "sandbox" };
  expect(wrongVariables(username)).toEqual(["AFRICAS_TALKING_API_KEY"]);
  expect(wrongVariables({ ...username, AFRICAS_TALKING_API_KEY: "x" })).toEqual([]);
});

test("without a key, or with several mistakes, every invalid variable is named, without its value [PH-93, PH-114]", () => {
  expect(wrongVariables({})).toEqual(["PIN_ENCRYPTION_KEY"]);
  const parsed = parseUssdConfig({ PIN_ENCRYPTION_KEY: "hunter2", USSD_OPERATOR_TOKEN: "hunter3" });
  expect(JSON.stringify(parsed)).toContain("USSD_OPERATOR_TOKEN");
  expect(JSON.stringify(parsed)).not.toMatch(/hunter/);
});

test.each([
  ["USSD_RECORD_DAYS", "29", "30"],
  ["USSD_PHONE_DAYS", "179", "180"],
  ["USSD_STATISTICS_DAYS", "30", "31"],
])("%s refuses %s days, and takes %s [PH-93, PH-156]", (variable, refused, taken) => {
  expect(parseUssdConfig({ ...KEY, [variable]: refused })).toMatchObject({ ok: false, error: [{ variable }] });
  expect(parseUssdConfig({ ...KEY, [variable]: taken })).toMatchObject({ ok: true });
});
