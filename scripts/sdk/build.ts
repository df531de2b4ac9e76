/**
 * Builds `@twinedge/sdk` into sdk/dist: one module and one declaration per source file, so that bundlers drop what an application
 * does not use and keep each `"use client"`. There are no source maps: the modules are the sources without their types. A package
 * that consumers do not have is inlined into the file that imports it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { projectRoot, runCommand } from "../run-command.ts";
import { sdkEntries, sdkManifest } from "./entries.ts";
import { packageFiles, packageOf, packagesIn, specifiersIn } from "./package-layout.ts";

/** Declarations that livekit-client lacks, so that it compiles with `skipLibCheck: false`. */
const LIVEKIT_TYPES = "livekit-throws.d.ts";

const sdkFolder = join(projectRoot, "sdk");

export async function buildSdk(target: string = join(sdkFolder, "dist")): Promise<void> {
  const manifest = sdkManifest();
  const known = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
  const emitted = mkdtempSync(join(tmpdir(), "twinedge-sdk-"));
  try {
    const words = ["-p", "sdk/tsconfig.build.json", "--pretty", "false", "--checkers", "1", "--outDir", emitted];
    const { code, output } = await runCommand("tsc", words);
    if (code !== 0) throw new Error(`the sources have errors:\n${output}`);
    const read = (path: string): string => readFileSync(join(emitted, path), "utf8");
    const entries = sdkEntries().map(({ source }) => source.replace(/\.ts$/, ""));
    const declarations = packageFiles(entries, ".d.ts", read);
    const modules = packageFiles(entries, ".js", read);
    for (const [path, text] of declarations) {
      const unknown = packagesIn(text).filter((name) => !known.has(name));
      if (unknown.length > 0)
        throw new Error(`${path} needs the types of ${unknown.join(", ")}, which sdk/package.json does not name`);
    }
    rmSync(target, { recursive: true, force: true });
    for (const [path, text] of declarations)
      if (packagesIn(text).includes("livekit-client")) {
        const way = relative(dirname(path), LIVEKIT_TYPES);
        declarations.set(path, `/// <reference path="${way.startsWith(".") ? way : `./${way}`}" />\n${text}`);
      }
    declarations.set(LIVEKIT_TYPES, readFileSync(join(sdkFolder, LIVEKIT_TYPES), "utf8"));
    for (const [path, text] of [...declarations, ...modules]) {
      const file = join(target, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    for (const [path, text] of modules)
      if (specifiersIn(text).some((name) => !isThere(name, known))) await takeIn(join(target, path), known);
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** Whether every consumer has the module: supported zod versions differ in their parts. */
function isThere(specifier: string, known: ReadonlySet<string>): boolean {
  return known.has(packageOf(specifier)) && !specifier.startsWith("zod/");
}

/** Inlines a module's packages that consumers do not have. */
async function takeIn(file: string, known: ReadonlySet<string>): Promise<void> {
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    target: "es2022",
    logLevel: "warning",
    nodePaths: [join(projectRoot, "node_modules")],
    plugins: [
      {
        // The only part of zod 3 that its converter needs; zod 3's classes would make up nine tenths of it.
        name: "the kinds of zod 3",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^zod\/v3$/ }, () => ({ path: "zod-3-kinds", namespace: "kinds" }));
          const contents = "export const ZodFirstPartyTypeKind = new Proxy({}, { get: (_, kind) => kind });";
          onLoad({ filter: /./, namespace: "kinds" }, () => ({ contents }));
        },
      },
      {
        name: "what consumers have",
        setup({ onResolve }) {
          onResolve({ filter: /./ }, ({ path, importer }) =>
            (importer === file && path.startsWith(".")) || isThere(path, known)
              ? { path, external: true, sideEffects: false }
              : undefined,
          );
        },
      },
    ],
  });
}
