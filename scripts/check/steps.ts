/** The steps of `npm run check`: each runs one tool over the source, independent of the others. */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { projectEnvironment, projectRoot, runCommand, type CommandOutcome } from "../run-command.ts";
import { runWrangler } from "../wrangler.ts";
import { currentTree, rememberPassed, scopeOf, type Scope } from "./changed-files.ts";
import { factorySpreads } from "./factory-spreads.ts";
import { houseFaults } from "./house-rules.ts";
import { wordFaults } from "./house-words.ts";
import { proseFaults } from "./prose.ts";

export interface StepOutcome extends CommandOutcome {
  /** The scope of the check, if it was limited. */
  readonly note?: string;
}

export interface Step {
  readonly name: string;
  /** `all`: includes files that no change since the last pass can have broken. */
  readonly run: (all: boolean) => Promise<StepOutcome>;
  /** The repair that `--fix` runs before the checks. */
  readonly fix?: () => Promise<CommandOutcome>;
}

/** Long steps first, so that the last core is not left with the longest. */
export const steps: readonly Step[] = [
  { name: "unit", run: (all) => overChanges("unit", all, runUnitTests) },
  { name: "types", run: checkTypes },
  { name: "dead-code", run: () => tool("knip", "--no-progress") },
  {
    name: "bindings",
    run: () => runWrangler(["types", "--check"]),
    // The same flags as in package.json; the empty file keeps a developer's own secrets out of the types.
    fix: () => tool("npm", "run", "--silent", "types"),
  },
  { name: "lint", run: (all) => overChanges("lint", all, lint), fix: () => tool("oxlint", "--fix", "--quiet") },
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
  { name: "prose", run: checkProse },
];

/** Runs a step over the changes since it last passed here, or over everything. */
async function overChanges(
  name: string,
  all: boolean,
  run: (scope: Scope) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const tree = currentTree();
  const outcome = await run(all ? "everything" : scopeOf(name, tree));
  if (outcome.code === 0) rememberPassed(name, tree);
  return outcome;
}

const plain = { NO_COLOR: "1", FORCE_COLOR: "0" };

function tool(name: string, ...args: readonly string[]): Promise<CommandOutcome> {
  return runCommand(name, args, projectEnvironment(plain));
}

/**
 * A compiler or linter written in Go. It ends within seconds, so it collects garbage only when memory runs short; a second thread
 * would repeat much of the first one's type checks, and the other steps need the cores.
 */
function goTool(name: string, ...args: readonly string[]): Promise<CommandOutcome> {
  const limits = { GOGC: "off", GOMEMLIMIT: "3GiB", GOMAXPROCS: "1" };
  return runCommand(name, args, projectEnvironment({ ...plain, ...limits }));
}

/**
 * Files that take two seconds or more each, almost half of the time of all unit tests: compilers, walks over all states, real
 * timeouts. `npm test` runs them. Run them by their path when you change what they test.
 */
export const slowTests: readonly string[] = [
  "durable-objects/chat-session/crash-table.test.ts",
  "durable-objects/ussd-session/menus/machine-walk.test.ts",
  "scripts/gateway/node-image.test.ts",
  "sdk/src/core/socket.test.ts",
  "oracle/framework/plugin-guide.test.ts",
  "oracle/plugins/attachments/read-content.test.ts",
  "workers/query-gateway/embedded/embedded-node.test.ts",
  "workers/query-gateway/upstream/breaker.test.ts",
  "workers/query-gateway/upstream/grpc-web/client.test.ts",
  "workers/registry/domain/domain-md.test.ts",
  "workers/registry/governance/life-of-a-domain.test.ts",
];

/** Tests that read the repository as text, so that no import shows their dependencies. */
const READERS = "scripts/{check,tests}/*.test.ts";

async function runUnitTests(scope: Scope): Promise<StepOutcome> {
  const options = ["--project", "unit", "--reporter", "dot", ...slowTests.map((path) => `--exclude=${path}`)];
  const run = (...args: readonly string[]): Promise<CommandOutcome> =>
    runCommand("vitest", [...args, ...options], projectEnvironment(plain));
  if (scope === "everything") return run("run");
  const sources = scope.filter((path) => SOURCE.test(path) && existsSync(join(projectRoot, path)));
  const outcome = await run("related", "--run", ...sources, ...globSync(READERS, { cwd: projectRoot }));
  return { ...outcome, note: `tests of ${counted(sources)}; npm test runs all` };
}

async function lint(scope: Scope): Promise<StepOutcome> {
  if (scope === "everything") return goTool("oxlint", "--threads=1");
  const sources = scope.filter((path) => SOURCE.test(path) && existsSync(join(projectRoot, path)));
  if (sources.length === 0) return { code: 0, output: "", note: "nothing changed" };
  const outcome = await goTool("oxlint", "--threads=1", "--no-error-on-unmatched-pattern", ...sources);
  return { ...outcome, note: `${counted(sources)}; --all lints everything` };
}

const SOURCE = /\.(?:tsx?|js|mjs)$/;

function counted(files: readonly string[]): string {
  return files.length === 1 ? "1 changed file" : `${files.length} changed files`;
}

/** Results of earlier runs: unchanged files are not checked again. */
const TYPE_CACHE = "node_modules/.cache/tsc";

/** The projects in sequence; an error in a file that several projects share is reported once. */
async function checkTypes(): Promise<CommandOutcome> {
  // The console is checked against the current routes; its types are not committed.
  const written = await tool("node", "scripts/console-types.ts");
  if (written.code !== 0) return written;
  const outcomes: CommandOutcome[] = [];
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

const sourceFolders = [
  "workers",
  "durable-objects",
  "oracle",
  "socketio",
  "shared",
  "platform",
  "protocol",
  "scripts",
  "bench",
  "test",
  "sdk",
  "console",
  "examples",
];

function checkHouseRules(): Promise<CommandOutcome> {
  const sources = sourceFolders.flatMap(sourceFiles);
  const faults = [
    ...sources.flatMap((path) => houseFaults(path, readFileSync(path, "utf8"))),
    ...sources
      .filter((path) => namedMembers.test(path))
      .flatMap((path) => factorySpreads(path, readFileSync(path, "utf8"))),
    ...[...sources, ...writtenFiles()]
      .filter((path) => !wordTables.test(path))
      .flatMap((path) => wordFaults(path, readFileSync(path, "utf8"))),
  ];
  return Promise.resolve({ code: faults.length === 0 ? 0 : 1, output: faults.join("\n") });
}

function checkProse(): Promise<StepOutcome> {
  const faults = [...sourceFolders.flatMap(sourceFiles), ...writtenFiles()]
    .filter((path) => !proseOfOthers.test(path))
    .flatMap((path) => proseFaults(path, readFileSync(path, "utf8")));
  return Promise.resolve({ code: faults.length === 0 ? 0 : 1, output: faults.join("\n") });
}

/** Generated files, the phone's texts in four languages, and the files that must contain the patterns. */
const proseOfOthers =
  /\.d\.ts$|^sdk\/API\.md$|ussd-session\/texts\/|texts\/phone-screens\.ts$|\/(?:prose|house-words)[^/]*\.ts$/;

/** Folders in which calls that build a part must name its members. */
const namedMembers = /^(?:workers|durable-objects|oracle|socketio|shared|platform|protocol|scripts)\/(?!.*\.test\.ts$)/;

/** These two must contain the words. */
const wordTables = /\/house-words(?:\.test)?\.ts$/;

/** Hand-written files other than TypeScript: documents, and files whose comments are checked. */
function writtenFiles(): readonly string[] {
  const patterns = [
    "*.md",
    "{docs,protocol,socketio,examples,sdk,console,bench,test/spec}/**/*.md",
    "console/**/*.{css,html}",
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
