/** The steps of `npm run check`: each runs one tool over the source, independent of the others. */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { projectEnvironment, projectRoot, runCommand, type Outcome } from "../run-command.ts";
import { runWrangler } from "../wrangler.ts";
import { houseFaults } from "./house-rules.ts";
import { wordFaults } from "./house-words.ts";

export interface Step {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
  /** The repair that `--fix` runs before the checks. */
  readonly fix?: () => Promise<Outcome>;
}

/** Long ones first, so that the last core is not left with the longest. */
export const steps: readonly Step[] = [
  { name: "unit", run: runUnitTests },
  { name: "types", run: checkTypes },
  { name: "dead-code", run: () => tool("knip", "--no-progress") },
  {
    name: "bindings",
    run: () => runWrangler(["types", "--check"]),
    // The same flags as in package.json; the empty file keeps a developer's own secrets out of the types.
    fix: () => tool("npm", "run", "--silent", "types"),
  },
  { name: "lint", run: () => goTool("oxlint", "--threads=1"), fix: () => tool("oxlint", "--fix", "--quiet") },
  { name: "format", run: () => tool("oxfmt", "--check"), fix: () => tool("oxfmt") },
  {
    name: "descriptors",
    run: () => tool("node", "scripts/descriptors.ts", "--check"),
    fix: () => tool("node", "scripts/descriptors.ts"),
  },
  {
    name: "wire-types",
    run: () => tool("node", "scripts/wire-types.ts", "--check"),
    fix: () => tool("node", "scripts/wire-types.ts"),
  },
  { name: "house-rules", run: checkHouseRules },
];

const plain = { NO_COLOR: "1", FORCE_COLOR: "0" };

function tool(name: string, ...args: readonly string[]): Promise<Outcome> {
  return runCommand(name, args, projectEnvironment(plain));
}

/**
 * A compiler or linter written in Go. It ends after seconds, so it collects garbage only when memory runs short; a second
 * thread would check much of the first one's types again, and the other steps need the other cores.
 */
function goTool(name: string, ...args: readonly string[]): Promise<Outcome> {
  const limits = { GOGC: "off", GOMEMLIMIT: "3GiB", GOMAXPROCS: "1" };
  return runCommand(name, args, projectEnvironment({ ...plain, ...limits }));
}

/** Cases of a property test: enough to find most mistakes during development; `npm test` runs more. */
const PROPERTY_RUNS = "100";

/**
 * Files that take two seconds and more each, almost half of the time of all unit tests: compilers, walks over all states, real
 * time-outs. `npm test` runs them; whoever works on what they test runs them by their path.
 */
export const slowTests: readonly string[] = [
  "durable-objects/chat-session/crash-table.test.ts",
  "durable-objects/ussd-session/menus/machine-walk.test.ts",
  "scripts/gateway/node-image.test.ts",
  "sdk/src/core/socket.test.ts",
  "workers/oracle/framework/plugin-guide.test.ts",
  "workers/oracle/plugins/attachments/read-content.test.ts",
  "workers/query-gateway/embedded/embedded-node.test.ts",
  "workers/query-gateway/upstream/breaker.test.ts",
  "workers/query-gateway/upstream/grpc-web/client.test.ts",
  "workers/registry/domain/domain-md.test.ts",
  "workers/registry/governance/life-of-a-domain.test.ts",
];

function runUnitTests(): Promise<Outcome> {
  const args = ["run", "--project", "unit", "--reporter", "dot", ...slowTests.map((path) => `--exclude=${path}`)];
  return runCommand("vitest", args, projectEnvironment({ ...plain, PROPERTY_RUNS }));
}

/** Results of earlier runs: files that have not changed are not checked again. */
const TYPE_CACHE = "node_modules/.cache/tsc";

/** The projects one after the other; an error in a file that several projects share is reported once. */
async function checkTypes(): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const project of typeProjects()) {
    const cache = ["--incremental", "--tsBuildInfoFile", join(TYPE_CACHE, `${basename(project)}.tsbuildinfo`)];
    outcomes.push(await goTool("tsc", "-p", project, "--pretty", "false", "--checkers", "1", ...cache));
  }
  const lines = new Set(outcomes.flatMap(({ output }) => output.split("\n")));
  return { code: Math.max(...outcomes.map(({ code }) => code)), output: [...lines].join("\n") };
}

function typeProjects(): readonly string[] {
  const signpost = readFileSync(join(projectRoot, "tsconfig.json"), "utf8");
  return [...signpost.matchAll(/"path": "(.+?)"/g)].map(([, path]) => path ?? "");
}

const sourceFolders = ["workers", "durable-objects", "protocol", "scripts", "bench", "test", "sdk", "examples"];

function checkHouseRules(): Promise<Outcome> {
  const sources = sourceFolders.flatMap(sourceFiles);
  const faults = [
    ...sources.flatMap((path) => houseFaults(path, readFileSync(path, "utf8"))),
    ...[...sources, ...writtenFiles()]
      .filter((path) => !wordTables.test(path))
      .flatMap((path) => wordFaults(path, readFileSync(path, "utf8"))),
  ];
  return Promise.resolve({ code: faults.length === 0 ? 0 : 1, output: faults.join("\n") });
}

/** These two have to name the words. */
const wordTables = /\/house-words(?:\.test)?\.ts$/;

/** What people write that is no TypeScript: documents, and files whose comments are read. */
function writtenFiles(): readonly string[] {
  const patterns = [
    "*.md",
    "{docs,protocol,durable-objects,examples,sdk,bench}/**/*.md",
    "proto/README.md",
    "{migrations,test}/**/*.{sql,yaml,proto}",
    "wrangler.toml",
  ];
  return globSync(patterns, { cwd: projectRoot, exclude: (path) => /node_modules|(?:^|\/)dist(?:\/|$)/.test(path) });
}

function sourceFiles(folder: string): readonly string[] {
  let entries;
  try {
    entries = readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true });
  } catch {
    // A folder that does not exist yet.
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .filter((entry) => !/(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(relative(process.cwd(), entry.parentPath)))
    .map((entry) => relative(process.cwd(), join(entry.parentPath, entry.name)));
}
