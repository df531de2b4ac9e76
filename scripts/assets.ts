/** Runs before every command that serves or bundles: creates dist/assets, which the assets binding requires even if it is empty. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, runCommand, type CommandOutcome } from "./run-command.ts";

const BUILDER = "scripts/build-assets.ts";

export function buildAssets(): Promise<CommandOutcome> {
  mkdirSync(join(projectRoot, "dist/assets"), { recursive: true });
  if (!existsSync(join(projectRoot, BUILDER))) return Promise.resolve({ code: 0, output: "" });
  return runCommand(process.execPath, [BUILDER]);
}
