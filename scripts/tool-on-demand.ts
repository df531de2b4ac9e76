/**
 * Packages of tools that a maintainer needs rarely. They are installed below dist/ when a command first needs them, so that
 * `npm install` does not download them. The first use needs the package registry.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, runCommand } from "./run-command.ts";

/**
 * The path of a file of the packages, which are installed first if it does not exist.
 *
 * @param name a folder below dist/.
 * @throws Error with npm's output if the packages cannot be installed.
 */
export async function fileOfTool(name: string, packages: readonly string[], file: string): Promise<string> {
  const installed = join(projectRoot, "dist", name);
  const path = join(installed, "node_modules", file);
  if (existsSync(path)) return path;
  mkdirSync(installed, { recursive: true });
  const options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", installed];
  const { code, output } = await runCommand("npm", ["install", ...options, ...packages]);
  if (code !== 0) throw new Error(`${packages.join(", ")} could not be installed:\n${output}`);
  return path;
}
