/**
 * Builds the npm package into dist/package: one JavaScript module per entry, a module with their shared code, and their
 * declarations. Dependencies stay imports, so that the oracle uses the author's own zod and hono.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { replaceFolder } from "../replaced-files.ts";
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
  const options = {
    absWorkingDir: projectRoot,
    bundle: true,
    write: false,
    // Any other import is bundled: an author would not have it.
    external: ["cloudflare:*", "node:*", ...dependencies().flatMap((name) => [name, `${name}/*`])],
    format: "esm" as const,
    // Names are kept, so that a stack trace names the function.
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "warning" as const,
  } satisfies BuildOptions;
  const modules = await build({
    ...options,
    entryPoints: [...entries, poolWorker],
    outdir: packageFolder,
    outbase: ".",
    splitting: true,
    chunkNames: "shared-[hash]",
    platform: "neutral",
    target: "es2024",
  });
  const command = await build({
    ...options,
    // Nothing imports the command, so its names serve no one.
    minifyIdentifiers: true,
    entryPoints: ["scripts/package/command.ts"],
    outfile: join(packageFolder, "command.js"),
    platform: "node",
    target: "node20",
    banner: { js: "#!/usr/bin/env node" },
  });
  const files = new Map<string, Uint8Array>();
  for (const { path, contents } of [...modules.outputFiles, ...command.outputFiles])
    files.set(relative(packageFolder, path), contents);
  for (const [path, text] of declarations) files.set(path, new TextEncoder().encode(text));
  await replaceFolder(packageFolder, files);
}

function dependencies(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies);
}
