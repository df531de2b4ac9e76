/** The documents match the source: variables, tables and packages are described, cited rules exist. */
import { globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { rulePages, rulesStated, statedRules } from "../tests/rules.ts";
import { deploymentSchema } from "../../workers/query-gateway/deployments/settings.ts";

const project = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(project, path), "utf8");

test("docs/configuration.md has every variable that a schema reads", () => {
  const sources = globSync(["{workers,oracle,platform}/**/*.ts"], {
    cwd: project,
    exclude: ["**/*.test.ts", "workers/ussd/http/providers/**", "workers/oracle/testing/**"],
  });
  // A binding, which is in wrangler.toml, is a `z.custom`.
  const member = /\b([A-Z][A-Z0-9_]+): (?:z\b(?!\.custom)|\w+\()/g;
  const variables = sources.flatMap((path) => [...read(path).matchAll(member)]);
  const names = variables.map(([, name]) => name);
  expect(names).toContain("ORACLE_SIGNING_SEED");
  // Variables that platform reads for each surface, separately or spread into its schema.
  expect(names).toEqual(expect.arrayContaining(["CORS_ORIGIN", "TRUST_PROXY_HOPS"]));
  const table = read("docs/configuration.md");
  expect(names.filter((name) => !table.includes(`| \`${name}\``))).toEqual([]);
});

test("docs/configuration.md has no variable that nothing reads", () => {
  const sources = globSync("{workers,oracle,platform,scripts,test}/**/*.ts", { cwd: project }).map(read).join("\n");
  const described = [...read("docs/configuration.md").matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(
    ([, name = ""]) => name,
  );
  expect(described.length).toBeGreaterThan(140);
  expect(described.filter((name) => !new RegExp(String.raw`\b${name}\b`).test(sources))).toEqual([]);
});

test("docs/log-events.md has every log event of the code, and no other", () => {
  const sources = globSync("{workers,durable-objects,oracle,socketio,platform}/**/*.ts", {
    cwd: project,
    exclude: ["**/*.test.ts"],
  });
  // `log.warn("node-failed"`, `options.log("warn", "socketio.ack-ignored"`, and functions that wrap a logger.
  const call = /[lL]og(?:ger)?(?:\??\.(?:info|warn|error))?\((?:"(?:info|warn|error)", )?\s*(?:"([\w.-]+)"|`([^`]+)`)/g;
  const events = sources.flatMap((path) =>
    [...read(path).matchAll(call)].flatMap(([, name, template]) =>
      template === "plugin-${part}-failed"
        ? ["state", "tools", "sub-agents", "middlewares"].map((part) => `plugin-${part}-failed`)
        : [name ?? template],
    ),
  );
  expect(events).toEqual(expect.arrayContaining(["request-failed", "node-failed", "socketio.ack-ignored"]));
  const described = [...read("docs/log-events.md").matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(new Set(described)).toEqual(new Set(events));
});

test("docs/storage.md has every table of an object and of the database", () => {
  const sources = globSync(["{durable-objects,oracle,socketio,platform}/**/*.ts", "migrations/*.sql"], {
    cwd: project,
  });
  const tables = sources.flatMap((path) =>
    [...read(path).matchAll(/CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, name]) => name ?? ""),
  );
  expect(tables).toEqual(expect.arrayContaining(["schema_version", "frames", "admissions", "user_preferences"]));
  const document = read("docs/storage.md");
  expect(tables.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
});

test("docs/reference/ and test/spec/ state each rule once", () => {
  const rules = statedRules();
  expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).toEqual([]);
  const items = [...rulePages().values()].flatMap((page) =>
    [...page.matchAll(/^\s*[-*] \*\*([A-Z]+\W?\d+)/gm)].map(([, rule]) => rule),
  );
  expect(new Set(items)).toEqual(new Set(rules));
});

/** `OR-1 to OR-8, OR-184` for the rules 1 to 8 and 184. */
function rangesOf(rules: readonly string[]): string {
  const runs: string[][] = [];
  for (const rule of rules.toSorted((a, b) => numberOf(a) - numberOf(b))) {
    const run = runs.at(-1);
    if (run !== undefined && numberOf(rule) === numberOf(run.at(-1) ?? "") + 1) run.push(rule);
    else runs.push([rule]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]} to ${run.at(-1)}` : run.join(", "))).join(", ");
}

function numberOf(rule: string): number {
  return Number(rule.replace(/^\D+/, ""));
}

test("the rules of each page of the oracle are in the order of their numbers", () => {
  const pages = [...rulePages()].filter(([path]) => /\boracle(?:\/[\w-]+)?\.md$/.test(path));
  expect(pages.length).toBeGreaterThan(30);
  const numbers = pages.map(([path, page]) => ({ path, numbers: rulesStated(page).map(numberOf) }));
  expect(numbers.filter(({ numbers }) => numbers.some((each, index) => each < (numbers[index - 1] ?? 0)))).toEqual([]);
});

test("docs/reference/README.md lists every page with its rules", () => {
  const index = read("docs/reference/README.md").replaceAll(/\s+/g, " ");
  const entries = [...rulePages()].flatMap(([path, page]) => {
    const rules = rulesStated(page);
    return rules.length === 0 ? [] : [`](${relative("docs/reference", path)}): ${rangesOf(rules)}.`];
  });
  expect(entries.filter((entry) => !index.includes(entry))).toEqual([]);
});

/** The end of `npm test` checks that each rule has a passing test; this finds a typing mistake earlier. */
test("every rule that a test or a comment cites is stated", () => {
  const rules = new Set(statedRules());
  const families = new Set([...rules].map((rule) => rule.replace(/\d+$/, "")));
  const sources = globSync(
    "{workers,durable-objects,oracle,socketio,shared,platform,protocol,scripts,bench,test,sdk}/**/*.{ts,tsx}",
    { cwd: project },
  );
  const cited = sources
    .filter((path) => path !== "scripts/tests/rules.test.ts")
    .flatMap((path) =>
      [...read(path).matchAll(/\b([A-Z]{2,3}-)\d+\b/g)].map(([rule, family]) => ({ path, rule, family })),
    );
  expect(cited.filter(({ rule, family = "" }) => families.has(family) && !rules.has(rule))).toEqual([]);
});

test("docs/dependencies.md has a line for every package", () => {
  const packages = [
    "package.json",
    "sdk/package.json",
    "console/package.json",
    "examples/react-chat/package.json",
  ].flatMap((path) => {
    const manifest = JSON.parse(read(path)) as Partial<Record<"dependencies" | "devDependencies", object>>;
    return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  });
  const lines = read("docs/dependencies.md");
  expect(packages.filter((name) => !lines.includes(`\`${name}\``))).toEqual([]);
});

/** The members of a JSON Schema that are read. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly minimum?: number;
}

/** Each leaf member, such as `limits.pathBytes` and `nodes[].url`. */
function leaves(schema: Schema, name = ""): readonly (readonly [name: string, schema: Schema])[] {
  const { items, anyOf, oneOf, properties } = schema;
  if (items !== undefined) return leaves(items, `${name}[]`);
  const cases = anyOf ?? oneOf;
  if (cases !== undefined) return cases.flatMap((each) => leaves(each, name));
  if (properties === undefined) return [[name, schema]];
  return Object.entries(properties).flatMap(([member, each]) =>
    leaves(each, name === "" ? member : `${name}.${member}`),
  );
}

test("docs/query-gateway-configuration.md has every member of a deployment, with its default and its least number", () => {
  const members = leaves(z.toJSONSchema(deploymentSchema, { io: "input", unrepresentable: "any" }) as Schema);
  expect(members.length).toBeGreaterThan(50);
  const rows = new Map(
    read("docs/query-gateway-configuration.md")
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
      .map(([, member = "", fallback = "", least = ""]) => [member, { fallback, least }]),
  );
  const wrong = members.filter(([name, { default: value, minimum }]) => {
    const row = rows.get(name);
    if (row === undefined) return true;
    const isPlain = typeof value === "number" || typeof value === "boolean";
    return (isPlain && row.fallback !== String(value)) || (minimum !== undefined && row.least !== String(minimum));
  });
  expect(wrong).toEqual([]);
});

test("docs/architecture.md names files that exist", () => {
  const files = globSync(
    [
      "*.ts",
      "{workers,durable-objects,oracle,socketio,shared,platform,protocol,scripts,test,bench,sdk/src,console/src}/**/*.{ts,tsx}",
    ],
    {
      cwd: project,
    },
  );
  const named = [...read("docs/architecture.md").matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter((path) => !files.some((file) => file === path || file.endsWith(`/${path}`)));
  expect(missing).toEqual([]);
});
