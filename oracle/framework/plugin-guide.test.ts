/**
 * Checks the plugin guide, docs/plugins.md and docs/plugins/guide/: its first example is examples/weather-oracle with a plugin of
 * at most 30 lines, the compiler accepts every example, and its tables match the limits, codes and events in the code.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { ADMISSION_TIME_LIMIT_MS } from "../agent/admission.ts";
import { SHOWN_RESULT_BYTES } from "../agent/toolbox.ts";
import { TOOL_OUTPUT_SIZE } from "../agent/tool-calls.ts";
import { CALL_INPUT_SIZE } from "../agent/arguments.ts";
import { APPROVAL_TIME_LIMIT_MS } from "../runs/approvals.ts";
import { NOTICE_SIZE, NOTICES_PER_RUN } from "../runs/active-run.ts";
import { REPORT_TIME_LIMIT_MS } from "../runs/run-reports.ts";
import { RESULT_TIME_LIMIT_MS } from "../runs/client-calls.ts";
import { MAX_CLIENT_TOOLS, MESSAGE_BODY_BYTES, SMALL_BODY_BYTES } from "../../protocol/limits.ts";
import { roomEventNames, serverEvents } from "../../protocol/socket-events.ts";
import type { FailureCode } from "../../platform/failure.ts";
import { wireMeaningOf } from "../../platform/http/error-bodies.ts";
import { LEAST_SECRET_LENGTH } from "../../platform/secret-values.ts";
import { BLOB_KEY_BYTES } from "./plugin-blobs.ts";
import {
  KV_KEY_LENGTH,
  KV_KEYS_PER_PLUGIN,
  KV_PAGE_SIZE,
  KV_USER_BYTES,
  KV_VALUE_BYTES,
  TEXT_ID_LENGTH,
  TEXT_LENGTH,
  TEXTS_FOUND,
  TEXTS_PER_PLUGIN,
} from "./storage.ts";
import { HEALTH_TIME_LIMIT_MS } from "../boot/plugin-health.ts";
import { SCHEDULE_TIME_LIMIT_MS } from "../boot/plugin-schedule.ts";
import { projectRoot } from "../../scripts/run-command.ts";

const guide = [
  "plugins",
  ...["tools", "turns", "storage", "routes", "reference"].map((name) => `plugins/guide/${name}`),
]
  .map((page) => readFileSync(join(projectRoot, `docs/${page}.md`), "utf8"))
  .join("\n");

interface Example {
  /** The code that surrounds it: nothing, a plugin, an oracle. */
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

test("the wrangler.toml is a copy of examples/weather-oracle's", () => {
  const file = readFileSync(join(projectRoot, "examples/weather-oracle/wrangler.toml"), "utf8");
  expect(/^```toml\n([\s\S]*?)^```$/m.exec(guide)?.[1]).toBe(file);
});

/** Keyed by the words of the table, in its units. */
const limits: Readonly<Record<string, number>> = {
  "arguments of a call": CALL_INPUT_SIZE / 1024,
  "result of a tool": TOOL_OUTPUT_SIZE / 1024,
  "part of a result that the model reads": SHOWN_RESULT_BYTES / 1024,
  "`getRequestAdmission`": ADMISSION_TIME_LIMIT_MS / 1000,
  "a call of `afterTurn`": REPORT_TIME_LIMIT_MS / 1000,
  "approval by the user": APPROVAL_TIME_LIMIT_MS / 3_600_000,
  "call of the user's page": RESULT_TIME_LIMIT_MS / 1000,
  "warnings of a turn": NOTICES_PER_RUN,
  "a warning of `ctx.notice`": NOTICE_SIZE,
  "tools or actions of a message": MAX_CLIENT_TOOLS,
  "body of a message": MESSAGE_BODY_BYTES / 1024,
  "body of a plugin's route": SMALL_BODY_BYTES / 1024,
  "key of `kv`": KV_KEY_LENGTH,
  "value of `kv`": KV_VALUE_BYTES / 1024,
  "keys per plugin and user": KV_KEYS_PER_PLUGIN,
  "values of all plugins per user": KV_USER_BYTES / 1024 / 1024,
  "page of `list`": KV_PAGE_SIZE,
  "key of `blobs`": BLOB_KEY_BYTES,
  "text of `texts`": TEXT_LENGTH,
  "id of a text": TEXT_ID_LENGTH,
  "texts per plugin and user": TEXTS_PER_PLUGIN,
  "texts of a page or search": TEXTS_FOUND,
  "`onSchedule`": SCHEDULE_TIME_LIMIT_MS / 1000,
  "`getHealth`": HEALTH_TIME_LIMIT_MS / 1000,
};

/** Declarations that the examples use but do not show. */
const preamble = `
import {
  admit, createOracleApp, defineOraclePlugin, guardedFetch, OraclePlugin, readLimited, refuse, route, sameSecret, tool, z,
} from "twinedge/oracle";
import type { PluginManifest, PluginTool, RuntimeContext } from "twinedge/oracle";
declare const getWeather: PluginTool, searchReports: PluginTool;
declare const fetchForecast: (city: string, key: string, signal: AbortSignal) => Promise<object>;
declare const weather: ReturnType<typeof defineOraclePlugin>;
const manifest = { title: "Example", summary: "An example.", whenToUse: ["always"] };
`;

const around: Readonly<Record<string, (code: string) => string>> = {
  "": (code) => code,
  test: (code) => code,
  config: (code) => code,
  tools: (code) => `${preamble}\n${code}`,
  app: (code) => `${preamble}\n${code}`,
  hook: (code) => `${preamble}\ndefineOraclePlugin({ name: "example", version: "1.0.0", manifest,\n${code}});`,
};

test("every example compiles", async () => {
  expect(examples.length).toBeGreaterThan(20);
  // Inside the project, so that packages are found.
  const folder = mkdtempSync(join(projectRoot, "node_modules/.plugin-guide-"));
  try {
    for (const [index, { kind, code }] of examples.entries()) {
      writeFileSync(join(folder, `example-${index}.ts`), around[kind]?.(code) ?? "");
    }
    writeFileSync(join(folder, "oracle.ts"), examples[0]?.code ?? "");
    const compilerOptions = {
      types: [
        "@cloudflare/workers-types",
        "@cloudflare/vitest-pool-workers/types",
        join(projectRoot, "worker-configuration.d.ts"),
        join(projectRoot, "optional-bindings.d.ts"),
      ],
      noUnusedLocals: false,
      paths: {
        "twinedge/oracle": [join(projectRoot, "workers/oracle/index.ts")],
        "twinedge/oracle/testing": [join(projectRoot, "workers/oracle/testing/index.ts")],
        "twinedge/oracle/testing/pool": [join(projectRoot, "workers/oracle/testing/pool-options.ts")],
        // The package's name in this project.
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

test("the limits match the code and docs/configuration.md", () => {
  const rows = new Map(rowsBelow("## Limits").map(([limit = "", value = ""]) => [limit, value]));
  const stated = Object.entries(limits).map(([limit]) => [
    limit,
    Number(/^[\d,]+/.exec(rows.get(limit) ?? "")?.[0].replaceAll(",", "")),
  ]);
  expect(Object.fromEntries(stated)).toEqual(limits);
  const configuration = readFileSync(join(projectRoot, "docs/configuration.md"), "utf8");
  const budgets = [...configuration.matchAll(/^\| (`(?:TURN_\w+|ORACLE_MAX_STEPS)`) *\| (\d+)/gm)].map(
    ([, name, value]) => `${Number(value).toLocaleString("en")} (${name})`,
  );
  expect(budgets).toHaveLength(6);
  expect([...rows.values()].map((value) => value.replace(" ms ", " ")).slice(0, 6)).toEqual(budgets);
  expect(rows.size).toBe(Object.keys(limits).length + budgets.length);
});

test("every boot error has its row", () => {
  const sources = ["boot-errors.ts", "plugin-loading.ts"].map((name) =>
    readFileSync(join(projectRoot, "oracle/boot", name), "utf8"),
  );
  // Where an error is created, not where it is described: there a code is a key.
  const codes = [...sources.join("\n").matchAll(/"(boot\.[\w.]+)"(?!:)/g)].map(([, code]) => `\`${code}\``);
  expect(new Set(rowsBelow("## Boot errors").map(([code]) => code))).toEqual(new Set(codes));
});

test("the events of emit and the statuses of a refusal match the code", () => {
  const events = rowsBelow("## Cards and other events").map(([name, payload = ""]) => [
    name?.replaceAll("`", ""),
    // Values are in brackets.
    [...payload.replaceAll(/\(.*?\)/g, "").matchAll(/`([\w?]+)`/g)].map(([, member = ""]) => member).toSorted(),
  ]);
  const ofRun = ["sessionId", "requestId"];
  const sent = roomEventNames.map((name) => {
    const { shape } = serverEvents[name as "tool_call"].payload;
    const members = Object.entries(shape).filter(([member]) => !ofRun.includes(member));
    return [name, members.map(([member, { def }]) => (def.type === "optional" ? `${member}?` : member)).toSorted()];
  });
  expect(Object.fromEntries(events)).toEqual(Object.fromEntries(sent));
  const refusals = rowsBelow("## Refuse a message").flatMap(([code, status, other, otherStatus]) => [
    [code, status],
    [other, otherStatus],
  ]);
  expect(refusals).toHaveLength(14);
  for (const [code = "", status] of refusals)
    expect(`${code} ${status}`).toBe(`${code} ${wireMeaningOf(code.replaceAll("`", "") as FailureCode).status}`);
});

test("the length from which a secret is masked is that of the code", () => {
  expect(guide).toContain(`if they have at least ${LEAST_SECRET_LENGTH} characters`);
});
