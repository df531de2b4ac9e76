/**
 * Builds the npm package into dist/package: one JavaScript module for each entry, with what they share in a third, and their
 * declarations. Dependencies stay imports, so that an author's own zod and hono are the ones that the oracle uses.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../run-command.ts";
import { declarationsOf } from "./declarations.ts";

/** Entry of the package to its source; package.json names the same under `exports`. */
export const packageEntries: Readonly<Record<string, string>> = {
  "workers/oracle/index": "workers/oracle/index.ts",
  "workers/oracle/testing/index": "workers/oracle/testing/index.ts",
};

export const packageFolder = join(projectRoot, "dist/package");

export async function buildPackage(): Promise<void> {
  const entries = Object.values(packageEntries).filter((source) => existsSync(join(projectRoot, source)));
  const declarations = await declarationsOf(entries);
  rmSync(packageFolder, { recursive: true, force: true });
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [...entries],
    outdir: packageFolder,
    outbase: ".",
    bundle: true,
    splitting: true,
    chunkNames: "shared-[hash]",
    packages: "external",
    external: ["cloudflare:*", "node:*"],
    platform: "neutral",
    format: "esm",
    target: "es2024",
    logLevel: "warning",
  });
  for (const [path, text] of declarations) {
    const file = join(packageFolder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
