/** An existing secret survives every start; a missing one is appended; only the owner can read the file. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  completeDevVars,
  completeDevVarsFile,
  developmentSecrets,
  readDevVarsFile,
  type DevelopmentSecret,
} from "./dev-vars.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const secrets: readonly DevelopmentSecret[] = [
  { name: "SEED", purpose: "A seed.", make: () => "fresh-seed" },
  { name: "TOKEN", purpose: "A token.", make: () => "fresh-token" },
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dev-vars-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("an empty file gets every secret", () => {
  expect(completeDevVars("", secrets)).toEqual({
    text: "# A seed.\nSEED=fresh-seed\n# A token.\nTOKEN=fresh-token\n",
    added: ["SEED", "TOKEN"],
  });
});

test.each(["SEED=mine", "SEED = mine", "export SEED=mine", "  SEED=mine", 'SEED="mine"', "SEED: mine", "SEED="])(
  "%s counts as present",
  (line) => {
    expect(completeDevVars(`${line}\n`, secrets)).toEqual({
      text: `${line}\n# A token.\nTOKEN=fresh-token\n`,
      added: ["TOKEN"],
    });
  },
);

test.each(["# SEED=old", "SEEDLING=1", "MY_SEED=1", "OTHER=SEED=1"])("%s does not", (line) => {
  expect(completeDevVars(`${line}\n`, secrets).added).toEqual(["SEED", "TOKEN"]);
});

test("a last line without its end is completed first", () => {
  expect(completeDevVars("SEED=mine", secrets).text).toBe("SEED=mine\n# A token.\nTOKEN=fresh-token\n");
});

test("the file's content remains a prefix, and a second run adds nothing [ALL-26]", () => {
  const line = fc.oneof(fc.string(), fc.constantFrom("SEED=a", "TOKEN=b", "# SEED=", "export TOKEN = c"));
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), (lines, end) => {
      const before = lines.join(end);
      const after = completeDevVars(before, secrets);
      expect(after.text.startsWith(before)).toBe(true);
      expect(completeDevVars(after.text, secrets)).toEqual({ text: after.text, added: [] });
    }),
    { numRuns },
  );
});

test("the file is created for its owner only and then not changed", () => {
  const path = join(folder, ".dev.vars");
  const names = ["ORACLE_SIGNING_SEED", "ADMIN_TOKEN", "DEV_API_KEY", "PIN_ENCRYPTION_KEY", "USSD_OPERATOR_TOKEN"];
  expect(completeDevVarsFile(path, developmentSecrets)).toEqual(names);
  const first = readFileSync(path, "utf8");
  expect(first).toMatch(/^ORACLE_SIGNING_SEED=[0-9a-f]{64}$/m);
  expect(first).toMatch(/^ADMIN_TOKEN=[0-9a-f]{64}$/m);
  expect(readDevVarsFile(path).get("DEV_API_KEY")).toMatch(/^[0-9a-f]{64}$/);
  expect(completeDevVarsFile(path, developmentSecrets)).toEqual([]);
  expect(readFileSync(path, "utf8")).toBe(first);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a file that others could read is restricted", () => {
  const path = join(folder, ".dev.vars");
  writeFileSync(path, "SEED=mine", { mode: 0o644 });
  expect(completeDevVarsFile(path, secrets)).toEqual(["TOKEN"]);
  expect(readFileSync(path, "utf8")).toBe("SEED=mine\n# A token.\nTOKEN=fresh-token\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("values are parsed like dotenv does; a missing file is empty", () => {
  const path = join(folder, ".dev.vars");
  expect(readDevVarsFile(path)).toEqual(new Map());
  writeFileSync(path, "# A=no\nA = plain \nexport B=\"quoted = text\"\r\nC='single'\nD=\n");
  expect([...readDevVarsFile(path)]).toEqual([
    ["A", "plain"],
    ["B", "quoted = text"],
    ["C", "single"],
    ["D", ""],
  ]);
});
