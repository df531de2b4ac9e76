/** Every variable of a session reaches its setting. */
import { expect, test } from "vitest";
import { registryInNode } from "../../test/support/registry/registry-in-node.ts";
import { createLogger } from "../../platform/log.ts";
import { createDomainDirectory } from "../registry/port.ts";
import { openSessionSettings } from "./deployment.ts";

const KEY = "ab".repeat(32);

async function settingsWith(variables: object) {
  const env = { PIN_ENCRYPTION_KEY: KEY, ...variables } as unknown as Env;
  const domains = createDomainDirectory({ database: registryInNode().d1, clock: Date.now, log: createLogger({}) });
  const settings = await openSessionSettings(env, { domains });
  if (settings === undefined) throw new Error("misconfigured");
  return settings;
}

test.each<[string, string, object]>([
  ["APP_NAME", "Shamba", { app: "Shamba" }],
  ["USSD_SESSION_TTL_SECONDS", "30", { rules: { lifetimeMs: 30_000 } }],
  ["USSD_RESUME_WINDOW_SECONDS", "0", { rules: { resumeWindowMs: 0 } }],
  ["USSD_TEXT_MODE", "latest", { rules: { textMode: "latest" } }],
  ["USSD_REPLAY_WINDOW_MS", "7", { rules: { replayWindowMs: 7 } }],
  ["USSD_DIRECT_DIAL", "false", { rules: { directDial: false } }],
  ["USSD_DEFAULT_LANGUAGE", "sw", { rules: { defaultLanguage: "sw" } }],
  ["USSD_REPLY_BUDGET_MS", "8", { replyBudgetMs: 8 }],
  ["USSD_ORACLE_BUDGET_MS", "9", { oracleBudgetMs: 9 }],
  ["USSD_ORACLE_MAX_PAGES", "2", { answerPages: 2 }],
  ["USSD_SCREEN_SEPTETS", "140", { limit: { septets: 140 } }],
  ["USSD_COUNT_PREFIX", "false", { limit: { countPrefix: false } }],
  ["USSD_PHONE_RATE_PER_MINUTE", "12", { phoneRatePerMinute: 12 }],
])("%s=%s [PH-93]", async (variable, value, setting) => {
  expect(await settingsWith({})).not.toMatchObject(setting);
  expect(await settingsWith({ [variable]: value })).toMatchObject(setting);
});

test("messages are sent only with credentials [PH-105]", async () => {
  expect((await settingsWith({})).sms).toBeUndefined();
  const credentials = { AFRICAS_TALKING_USERNAME: "sandbox", AFRICAS_TALKING_API_KEY: "x" };
  expect((await settingsWith(credentials)).sms).toBeDefined();
});
