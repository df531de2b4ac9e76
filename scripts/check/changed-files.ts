/**
 * Which files have changed since a step of `npm run check` last passed here. The work tree as it is, files that Git does not know yet
 * included, is written as a tree of Git; a step that passes keeps the name of the tree that it saw.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { projectRoot } from "../run-command.ts";

/** What must be checked: everything, or these files and what depends on them. */
export type Scope = "everything" | readonly string[];

const CACHE = join(projectRoot, "node_modules/.cache/check");
/** A change of anything else can decide how any file is checked: packages, settings, schemas, generated files. */
const SOURCE_OR_PROSE = /\.(?:tsx?|js|mjs|md|css|html|svg)$/;
const SETTINGS = /(?:^|\/)[\w.-]+\.config\.ts$|^scripts\/check\/(?:steps|import-rules|import-rows)\.ts$/;

/** The name of the work tree as it is now; undefined where Git cannot say. */
export function currentTree(root = projectRoot): string | undefined {
  const index = join(CACHE, `index-${process.pid}`);
  try {
    mkdirSync(CACHE, { recursive: true });
    const original = resolve(root, git(root, "rev-parse", "--git-path", "index"));
    const { atime, mtime } = statSync(original);
    copyFileSync(original, index);
    // Git reads again what changed in the second of its index or later: a newer copy would hide such a change.
    utimesSync(index, atime, mtime);
    const env = { ...process.env, GIT_INDEX_FILE: index };
    execFileSync("git", ["add", "--all"], { cwd: root, env, stdio: "pipe" });
    return execFileSync("git", ["write-tree"], { cwd: root, env, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  } finally {
    rmSync(index, { force: true });
  }
}

export function rememberPassed(step: string, tree: string | undefined): void {
  if (tree !== undefined) writeFileSync(join(CACHE, step), tree);
}

export function scopeOf(step: string, tree: string | undefined): Scope {
  const passed = existsSync(join(CACHE, step)) ? readFileSync(join(CACHE, step), "utf8") : treeBefore();
  return passed === undefined || tree === undefined ? "everything" : scopeBetween(passed, tree);
}

/** In a fresh folder: the tree of the commit before the last one, which CI has checked whole. Undefined where Git has none. */
export function treeBefore(root = projectRoot): string | undefined {
  try {
    return git(root, "rev-parse", "--verify", "--quiet", "HEAD~1^{tree}");
  } catch {
    return undefined;
  }
}

/** @param root the repository that has both trees. */
export function scopeBetween(passed: string, tree: string, root = projectRoot): Scope {
  let changed;
  try {
    changed = git(root, "diff", "--name-only", "--no-renames", passed, tree).split("\n");
  } catch {
    // Git has forgotten the older tree.
    return "everything";
  }
  const paths = changed.filter((path) => path !== "");
  if (paths.some((path) => !SOURCE_OR_PROSE.test(path) || SETTINGS.test(path))) return "everything";
  return paths;
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", [...args], { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
}
