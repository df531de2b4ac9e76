/**
 * docs/plugins.md: its first example is examples/weather-oracle with a plugin of at most 30 lines, the compiler accepts every example, and its tables
 * have the limits, codes and budgets of the code.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { KV_KEY_LENGTH, KV_KEYS_PER_PLUGIN, KV_PAGE_SIZE, KV_USER_BYTES, KV_VALUE_BYTES } from "./storage.ts";
import { projectRoot } from "../../../scripts/run-command.ts";

const guide = readFileSync(join(projectRoot, "docs/plugins.md"), "utf8");

interface Example {
  /** What stands around it: nothing, a plugin, an oracle. */
  readonly kind: string;
  readonly code: string;
}

const examples: readonly Example[] = [...guide.matchAll(/^```ts ?(\w*)\n([\s\S]*?)^```$/gm)].map(
  ([, kind = "", code = ""]) => ({ kind, code }),
);

test("the first example is examples/weather-oracle, whose plugin has at most 30 lines", () => {
  const [first] = examples;
  const file = readFileSync(join(projectRoot, "examples/weather-oracle/oracle.ts"), "utf8");
  expect(first).toEqual({ kind: "", code: file });
  const [header = "", ...lines] = file.trimEnd().split("\n");
  expect(header).toMatch(/^\/\*\*.*\*\/$/);
  const worker = lines.findIndex((line) => line.includes("createOracleApp("));
  expect(lines.slice(0, worker).join("\n").trimEnd().split("\n").length).toBeLessThanOrEqual(30);
});

test("the wrangler.toml is that of examples/weather-oracle", () => {
  const file = readFileSync(join(projectRoot, "examples/weather-oracle/wrangler.toml"), "utf8");
  expect(/^```toml\n([\s\S]*?)^```$/m.exec(guide)?.[1]).toBe(file);
});

/** What the examples use and do not show. */
const preamble = `
import { admit, createOracleApp, defineOraclePlugin, refuse, route, tool, z, type PluginTool } from "twinedge/oracle";
declare const getWeather: PluginTool, searchReports: PluginTool;
declare const forecastTool: (key: string) => PluginTool;
declare const weather: ReturnType<typeof defineOraclePlugin>;
const manifest = { title: "Example", summary: "An example.", whenToUse: ["always"] };
`;

const around: Readonly<Record<string, (code: string) => string>> = {
  "": (code) => code,
  test: (code) => `${preamble}\n${code}`,
  config: (code) => code,
  tools: (code) => `${preamble}\n${code}`,
  app: (code) => `${preamble}\n${code}`,
  hook: (code) => `${preamble}\ndefineOraclePlugin({ name: "example", version: "1.0.0", manifest,\n${code}});`,
};

test("every example compiles", async () => {
  expect(examples.length).toBeGreaterThan(10);
  // Below the project, so that packages are found.
  const folder = mkdtempSync(join(projectRoot, "node_modules/.plugin-guide-"));
  try {
    for (const [index, { kind, code }] of examples.entries()) {
      writeFileSync(join(folder, `example-${index}.ts`), around[kind]?.(code) ?? "");
    }
    const compilerOptions = {
      types: [
        "@cloudflare/workers-types",
        "@cloudflare/vitest-pool-workers/types",
        join(projectRoot, "worker-configuration.d.ts"),
      ],
      noUnusedLocals: false,
      paths: {
        "twinedge/oracle": [join(projectRoot, "workers/oracle/index.ts")],
        "twinedge/oracle/testing": [join(projectRoot, "workers/oracle/testing/index.ts")],
        "twinedge/oracle/testing/pool": [join(projectRoot, "workers/oracle/testing/pool-options.ts")],
        // The name under which this project has it.
        "@cloudflare/vitest-plugin": [join(projectRoot, "node_modules/@cloudflare/vitest-pool-workers")],
      },
    };
    const config = { extends: join(projectRoot, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(projectRoot, "node_modules/.bin/tsc");
    const stdout = await new Promise<string>((resolve) =>
      execFile(compiler, ["-p", folder], (_failed, printed) => resolve(printed)),
    );
    expect(stdout).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The cells of each row of the table that follows a heading. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ""] = guide.split(`${heading}\n`);
  const [, table = ""] = /\n((?:\|.*\n)+)/.exec(section) ?? [];
  const [, , ...rows] = table.trim().split("\n");
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("the limits of storage are those of the code", () => {
  expect(rowsBelow("## Storage").map(([, value]) => value)).toEqual([
    `${KV_KEY_LENGTH} UTF-16 units`,
    `${KV_VALUE_BYTES / 1024} KiB of JSON`,
    KV_KEYS_PER_PLUGIN.toLocaleString("en"),
    `${KV_USER_BYTES / 1024 / 1024} MiB`,
    `${KV_PAGE_SIZE.toLocaleString("en")} keys, then \`cursor\``,
  ]);
});

test("every boot error has its row, and the budgets have the defaults of docs/operations.md", () => {
  const sources = ["boot-errors.ts", "plugin-loading.ts"].map((name) =>
    readFileSync(join(projectRoot, "workers/oracle/plugins", name), "utf8"),
  );
  // Where one comes about, not where it is put into words: a code there is a key.
  const codes = [...sources.join("\n").matchAll(/"(boot\.plugin\.\w+)"(?!:)/g)].map(([, code]) => `\`${code}\``);
  expect(new Set(rowsBelow("### When it does not boot").map(([code]) => code))).toEqual(new Set(codes));
  const operations = readFileSync(join(projectRoot, "docs/operations.md"), "utf8");
  const budgets = [...operations.matchAll(/^\| (`TURN_\w+`) *\| (\d+)/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]);
  expect(budgets).toHaveLength(5);
  const stated = rowsBelow("## Budgets").map(([name, value = ""]) => [name, Number(value.replaceAll(",", ""))]);
  expect(stated).toEqual(budgets);
});
