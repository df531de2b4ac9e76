/** A deployment that pays for its model without a limit causes a warning. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { missingSpendingLimit } from "./spending-limit.ts";

function configWith(vars: string): string {
  const path = join(temporaryDirectory(), "wrangler.toml");
  const head = 'name = "x"\nmain = "x.ts"\ncompatibility_date = "2026-01-01"\n';
  writeFileSync(path, `${head}[env.production]\n[env.production.vars]\n${vars}`);
  return path;
}

test.each(['LLM_PROVIDER = "openai-compatible"', 'LLM_PROVIDER = "workers-ai"\nORACLE_TOTAL_TOKENS_PER_DAY = "0"'])(
  "%s causes a warning [OR-462]",
  (vars) => {
    const sentence = missingSpendingLimit("production", configWith(vars));
    expect(sentence).toContain("env.production in wrangler.toml names a model service and no ORACLE_TOTAL");
  },
);

test.each([
  'LLM_PROVIDER = "workers-ai"\nORACLE_TOTAL_TOKENS_PER_DAY = "1000000"',
  'LLM_PROVIDER = "workers-ai"\nORACLE_TOTAL_TOKENS_PER_DAY = 1000000',
  'LLM_PROVIDER = "local"',
  "",
])("%s causes none [OR-462]", (vars) => {
  expect(missingSpendingLimit("production", configWith(vars))).toBeUndefined();
});
