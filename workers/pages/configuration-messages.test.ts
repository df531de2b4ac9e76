/** Every surface describes a valid value for a wrong variable, and never repeats the wrong one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseOracleConfig } from "../oracle/config.ts";
import type { ConfigResult } from "../../platform/config.ts";
import { parseRegistryConfig } from "../registry/config.ts";
import { parseUssdConfig } from "../ussd/config.ts";

const configuration = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
const variables = [...configuration.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, name]) => name ?? "");
const parsers: Readonly<Record<string, (env: object) => ConfigResult<unknown>>> = {
  oracle: parseOracleConfig,
  registry: parseRegistryConfig,
  ussd: parseUssdConfig,
};
const right = { ORACLE_SIGNING_SEED: "07".repeat(32), PIN_ENCRYPTION_KEY: "ab".repeat(32) };
/**
 * Invalid for every checked variable: not a number, DID, address, list, token of sufficient length or JSON of the right
 * form.
 */
const wrong = [
  "sécret",
  '{"sécret/sécret":["sécret"],"sécret":"sécret"}',
  '[{"sécret":"sécret"}]',
  "-1",
  "999999999999",
];

test.each(Object.entries(parsers))("%s", (_surface, parse) => {
  const problems = variables.flatMap((variable) =>
    wrong.flatMap((value) => {
      const parsed = parse({ ...right, [variable]: value });
      return parsed.ok ? [] : parsed.error;
    }),
  );
  expect(new Set(problems.map(({ variable }) => variable)).size).toBeGreaterThan(10);
  expect(JSON.stringify(problems)).not.toContain("sécret");
  const mute = problems.filter(
    ({ message, example }) =>
      example === undefined && !/such as|must be (one of|true or|local,|set together)/.test(message),
  );
  expect(mute).toEqual([]);
});
