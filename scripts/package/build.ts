/**
 * Builds the npm package into dist/package: one JavaScript module for each entry, with what they share in a third, and their
 * declarations. Dependencies stay imports, so that an author's own zod and hono are the ones that the oracle uses.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { projectRoot } from "../run-command.ts";
import { declarationsOf } from "./declarations.ts";

/** The sources of the package's entries, as package.json names them under `exports`. */
const entries = [
  "workers/oracle/index.ts",
  "workers/oracle/testing/index.ts",
  "workers/oracle/testing/pool-options.ts",
];
/** The Worker of the test pool, which pool-options.ts names by its path. */
const poolWorker = "workers/oracle/testing/worker.ts";

const packageFolder = join(projectRoot, "dist/package");

export async function buildPackage(): Promise<void> {
  const declarations = await declarationsOf(entries);
  rmSync(packageFolder, { recursive: true, force: true });
  const options = {
    absWorkingDir: projectRoot,
    bundle: true,
    // Anything else that is imported becomes a part of the package: an author would not have it.
    external: ["cloudflare:*", "node:*", ...dependencies().flatMap((name) => [name, `${name}/*`])],
    format: "esm" as const,
    logLevel: "warning" as const,
  } satisfies BuildOptions;
  await build({
    ...options,
    entryPoints: [...entries, poolWorker],
    outdir: packageFolder,
    outbase: ".",
    splitting: true,
    chunkNames: "shared-[hash]",
    platform: "neutral",
    target: "es2024",
  });
  await build({
    ...options,
    entryPoints: ["scripts/package/command.ts"],
    outfile: join(packageFolder, "command.js"),
    platform: "node",
    target: "node20",
    banner: { js: "#!/usr/bin/env node" },
  });
  for (const [path, text] of declarations) {
    const file = join(packageFolder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function dependencies(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies);
}
