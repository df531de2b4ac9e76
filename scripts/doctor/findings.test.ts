/** The faults that `npm run doctor` finds in settings and in a record of health. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { environmentFindings } from "./environment-settings.ts";
import { healthFindings } from "./health-findings.ts";
import { localFindings } from "./local-settings.ts";

const complete = new Map([
  ["ORACLE_SIGNING_SEED", "07".repeat(32)],
  ["PIN_ENCRYPTION_KEY", "ab".repeat(32)],
  ["ADMIN_TOKEN", "a-token-of-the-operator"],
  ["DEV_API_KEY", "a-key-of-the-developer"],
  ["USSD_OPERATOR_TOKEN", "a-token-of-the-phone"],
]);

test("complete secrets of a developer have no fault [ALL-63]", () => {
  expect(localFindings(complete)).toEqual([]);
});

test.each([
  ["ORACLE_SIGNING_SEED", "0707", "is not 64 hex digits"],
  ["ADMIN_TOKEN", "hunter2", "has fewer than 16 characters"],
  ["PIN_ENCRYPTION_KEY", "", "is empty"],
])("%s=%s in .dev.vars %s [ALL-63]", (name, value, words) => {
  const [finding, ...others] = localFindings(new Map([...complete, [name, value]]));
  expect(others).toEqual([]);
  expect(finding?.fault).toBe(`${name} in .dev.vars ${words}`);
  expect(JSON.stringify(finding).split(value === "" ? "no value" : value)).toHaveLength(1);
});

test("a missing secret is named [ALL-63]", () => {
  expect(localFindings(new Map()).map(({ fault }) => fault)).toContain(".dev.vars has no PIN_ENCRYPTION_KEY");
});

test("an environment is examined without a request [ALL-63]", () => {
  const path = join(temporaryDirectory(), "wrangler.toml");
  writeFileSync(
    path,
    `name = "x"\nmain = "x.ts"\ncompatibility_date = "2026-01-01"\n[env.staging.vars]\nLLM_PROVIDER = "openai-compatible"\nADMIN_TOKEN = "a-secret-in-a-file"\n[[env.staging.d1_databases]]\nbinding = "DATABASE"\ndatabase_name = "edge"\ndatabase_id = "00000000-0000-0000-0000-000000000000"\n`,
  );
  const findings = environmentFindings("staging", path);
  expect(findings.map(({ fault }) => fault)).toEqual([
    "env.staging in wrangler.toml has no database yet",
    "env.staging pays for a model, and the spending of all users together has no limit",
    "ADMIN_TOKEN is in vars of env.staging, where everyone with the repository can read it",
    'ENVIRONMENT in vars of env.staging is not "staging"',
    "query strings, which can contain a PIN, reach the platform's logs",
  ]);
  expect(JSON.stringify(findings)).not.toContain("a-secret-in-a-file");
});

test("a record of health is read completely [ALL-63]", () => {
  const { faults, notes } = healthFindings({
    database: "disconnected",
    storage: { usedBytes: 9, maxBytes: 10, state: "warning" },
    misconfigured: { ussd: ["PIN_ENCRYPTION_KEY"] },
    warnings: ["the seed is public"],
    plugins: { loaded: [], excluded: [{ plugin: "slack", reason: "not_configured", missing: ["SLACK_BOT_TOKEN"] }] },
    gateway: { status: "ok", nodes: [{ name: "one", state: "stale", kind: "lcd", height: null }] },
  });
  expect(faults.map(({ fault }) => fault)).toEqual([
    "the database is disconnected",
    "the database is filling up",
    "PIN_ENCRYPTION_KEY of the surface ussd is missing or wrong",
    "the chain node one is not used: stale",
  ]);
  expect(notes).toEqual(["the seed is public", "the plugin slack is off: it lacks SLACK_BOT_TOKEN"]);
});

test("another server's answer is a fault [ALL-63]", () => {
  expect(healthFindings("hello").faults).toHaveLength(1);
});
