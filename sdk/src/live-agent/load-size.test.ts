/** The code that a page loads before its first call: the bundled entries with the files that each imports statically. */
import { build } from "esbuild";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

/** Bytes, gzip: a page that offers calls loads it with its first view. */
const SHELL_LIMIT = 6 * 1024;

async function staticPart(entry: string, external: readonly string[] = []) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: resolve(import.meta.dirname, "../../.."),
    entryPoints: [entry],
    outdir: "/",
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: "esm",
    minify: true,
    platform: "browser",
    jsx: "automatic",
    external: ["react", "react/jsx-runtime", "zod", "@tanstack/react-query", ...external],
  });
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    name: path.replace(/^.*\//, ""),
    ...output,
  }));
  const wanted = outputs.filter(({ entryPoint }) => entryPoint === entry);
  for (const output of wanted) {
    const names = output.imports
      .filter(({ kind }) => kind === "import-statement")
      .map(({ path }) => path.replace(/^.*\//, ""));
    wanted.push(...outputs.filter((other) => names.includes(other.name) && !wanted.includes(other)));
  }
  const files = outputFiles.filter(({ path }) => wanted.some(({ name }) => path.endsWith(`/${name}`)));
  return {
    inputs: wanted.flatMap(({ inputs }) => Object.keys(inputs)),
    bytes: files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0),
    all: Object.keys(metafile.inputs),
  };
}

test.each(["sdk/src/index.ts", "sdk/src/live-agent/index.ts"])(
  "%s imports no LiveKit and no cryptography before a call [SD-179]",
  async (entry) => {
    const { inputs, all } = await staticPart(entry);
    expect(inputs.length).toBeGreaterThan(5);
    const heavy = /livekit|eciesjs|@noble|multiformats|\/call-(?:media|key)\.ts/;
    expect(inputs.filter((path) => heavy.test(path))).toEqual([]);
    // It is still present, as a dynamic import.
    expect(all.some((path) => path.includes("livekit-client"))).toBe(true);
  },
);

test("the live-agent entry is at most 6 KB gzip without React, the query cache and the core [SD-179]", async () => {
  const { bytes } = await staticPart("sdk/src/live-agent/index.ts", ["../core/*", "../../core/*"]);
  expect(bytes).toBeGreaterThan(2_000);
  expect(bytes).toBeLessThanOrEqual(SHELL_LIMIT);
});
