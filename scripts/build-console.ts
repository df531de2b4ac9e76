/**
 * Builds the web console into `dist/assets/console` when its inputs have changed. Vite writes into a folder next to the served one.
 * Then each file is moved into place, the page last, so that no page names a missing file. The files of the previous build stay
 * until the next one, so that open pages keep working. A record outside the served folder lists them.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { projectEnvironment, projectRoot, runCommand } from "./run-command.ts";

export interface ConsoleBuild {
  /** The folder with index.html and vite.config.ts. */
  readonly source: string;
  /** All inputs of the build, files and folders, from the project's root. */
  readonly inputs: readonly string[];
  /** The folder that is served. */
  readonly target: string;
  /** The record of the last build. The record and unfinished files are next to each other, outside the served folder. */
  readonly record: string;
}

const folders = ["console", "sdk/src", "protocol", "shared"] as const;

/** Folders that change during work on the console; a change of anything else, such as the lockfile, requires a restart anyway. */
export const consoleFolders: readonly string[] = folders.map((folder) => join(projectRoot, folder));

const ofProject: ConsoleBuild = {
  source: "console",
  inputs: [
    ...folders,
    "sdk/package.json",
    "tsconfig.base.json",
    "tsconfig.console.json",
    "package-lock.json",
    "scripts/build-console.ts",
  ],
  target: join(projectRoot, "dist/assets/console"),
  record: join(projectRoot, "dist/console.json"),
};

interface BuildRecord {
  /** Digest of the inputs. */
  readonly digest: string;
  /** Paths below the target. */
  readonly files: readonly string[];
  /** Files of the last build that differ from this one. */
  readonly before: readonly string[];
}

const PAGE = "index.html";

/** Whether it was built; `false` if the last build is still current. */
export async function buildConsole(build: ConsoleBuild = ofProject): Promise<boolean> {
  if (build === ofProject && !existsSync(join(projectRoot, TYPES))) await writeTypes();
  const { target, record } = build;
  const digest = digestOf(build.inputs);
  const last = readRecord(record);
  if (last?.digest === digest && last.files.every((name) => existsSync(join(target, name)))) return false;
  const fresh = `${record}.new-${process.pid}`;
  try {
    await runVite(build.source, fresh);
    const files = filesBelow(fresh);
    const replaced = (last?.files ?? []).filter((name) => !files.includes(name));
    // A change with an equal result, such as a comment's, replaces nothing, so open pages keep working.
    const before = replaced.length === 0 ? (last?.before ?? []) : replaced;
    for (const name of files.toSorted((one, other) => Number(one === PAGE) - Number(other === PAGE))) {
      await put(join(fresh, name), join(target, name));
    }
    const kept = new Set([...files, ...before]);
    const outdated = filesBelow(target).filter((name) => !kept.has(name));
    await Promise.all(outdated.map((name) => rm(join(target, name))));
    await writeFile(`${fresh}.json`, JSON.stringify({ digest, files, before } satisfies BuildRecord));
    await rename(`${fresh}.json`, record);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return true;
}

/** Written by `npm install`, and missing if that ran without scripts. */
const TYPES = "console/src/api/paths.d.ts";

async function writeTypes(): Promise<void> {
  const { code, output } = await runCommand("node", ["scripts/console-types.ts"], projectEnvironment());
  if (code !== 0) throw new Error(`the types of the console could not be written: ${output}`);
}

/** A separate process: the caller may run with NODE_ENV=test, which would select React's development build. */
async function runVite(source: string, outDir: string): Promise<void> {
  const vite = join(projectRoot, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", source, "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"];
  const { code, output } = await runCommand(process.execPath, args, projectEnvironment({ NODE_ENV: "production" }));
  if (code !== 0) throw new Error(`Vite could not build the console:\n${output}`);
}

/** Replaced whole, and only if the content differs: a running server reloads itself when its assets are written. */
async function put(from: string, to: string): Promise<void> {
  const present = await readFile(to).catch(() => undefined);
  if (present?.equals(await readFile(from)) === true) return;
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}

/** A digest of names and contents. Tests are not part of the console, so their changes build nothing. */
function digestOf(inputs: readonly string[]): string {
  const hash = createHash("sha256");
  for (const input of inputs) {
    const path = join(projectRoot, input);
    for (const name of filesBelow(path).filter((each) => !/\.test\.tsx?$/.test(each))) {
      const content = readFileSync(join(path, name));
      hash.update(`${input}\0${name}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest("hex");
}

/** Paths of all files below a folder, in order; for a file, its own empty path; for a missing path, none. */
function filesBelow(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  try {
    return namesIn(path, path).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [""];
    throw error;
  }
}

function namesIn(folder: string, root: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [relative(root, path)];
    return entry.name === "node_modules" ? [] : namesIn(path, root);
  });
}

function readRecord(path: string): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as BuildRecord;
  } catch {
    return undefined;
  }
}
