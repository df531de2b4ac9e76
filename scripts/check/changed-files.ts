/**
 * Which files have changed since a step of `npm run check` last passed here. The current work tree, including untracked files, is
 * written as a Git tree; a step that passes stores the name of its tree.
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

/** The scope of the checks: everything, or these files and those that depend on them. */
export type Scope = "everything" | readonly string[];

const CACHE = join(projectRoot, "node_modules/.cache/check");
/** A change of any other file can affect how all files are checked: packages, settings, schemas, generated files. */
const SOURCE_OR_PROSE = /\.(?:tsx?|js|mjs|md|css|html|svg)$/;
const SETTINGS = /(?:^|\/)[\w.-]+\.config\.ts$|^scripts\/check\/(?:steps|import-rules|import-rows)\.ts$/;

/** The name of the current work tree; undefined if Git cannot compute it. */
export function currentTree(root = projectRoot): string | undefined {
  const index = join(CACHE, `index-${process.pid}`);
  try {
    mkdirSync(CACHE, { recursive: true });
    const original = resolve(root, git(root, "rev-parse", "--git-path", "index"));
    const { atime, mtime } = statSync(original);
    copyFileSync(original, index);
    // Git reads files again that changed in the second of its index or later: a newer copy would hide such a change.
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

/** In a fresh clone: the tree of the commit before the last one, which CI has checked completely. Undefined if Git has none. */
export function treeBefore(root = projectRoot): string | undefined {
  try {
    return git(root, "rev-parse", "--verify", "--quiet", "HEAD~1^{tree}");
  } catch {
    return undefined;
  }
}

/** @param root the repository with both trees. */
export function scopeBetween(passed: string, tree: string, root = projectRoot): Scope {
  let changed;
  try {
    changed = git(root, "diff", "--name-only", "--no-renames", passed, tree).split("\n");
  } catch {
    // Git has deleted the older tree.
    return "everything";
  }
  const paths = changed.filter((path) => path !== "");
  if (paths.some((path) => !SOURCE_OR_PROSE.test(path) || SETTINGS.test(path))) return "everything";
  return paths;
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", [...args], { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
}
