/** Bundles a page of test/browser/ with the SDK's source, once for each mode, and keeps the files in memory. */
import { build, type BuildOptions, type Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const projectRoot = resolve(import.meta.dirname, "../../..");

/** React's development build emits warnings; measurements use the production build. */
export type PageMode = "development" | "production";

/** Files by name; `<page>.js` is the first one. */
export type PageBundle = ReadonlyMap<string, Uint8Array>;

const bundles = new Map<string, Promise<PageBundle>>();

/** @param name of `test/browser/<name>.tsx`. */
export function bundlePage(name: string, mode: PageMode): Promise<PageBundle> {
  const known = bundles.get(`${mode}/${name}`);
  if (known !== undefined) return known;
  const made = bundle(name, mode);
  bundles.set(`${mode}/${name}`, made);
  return made;
}

/**
 * `readme:Streaming` is the first code with JSX, or else the first code, under that heading of sdk/README.md, unchanged except for
 * the oracle's address, which becomes the page's global `oracleUrl`.
 */
const readmeExamples: Plugin = {
  name: "examples of the README",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^readme:/ }, ({ path }) => ({ path: path.slice("readme:".length), namespace: "readme" }));
    onLoad({ filter: /./, namespace: "readme" }, ({ path }) => {
      const readme = readFileSync(join(projectRoot, "sdk/README.md"), "utf8");
      const [, section = ""] = readme.split(`\n## ${path}\n`);
      const [before = ""] = section.split("\n## ");
      const [, contents] =
        /^```tsx?\n([\s\S]*?)^```$/m.exec(before.replaceAll(/^```(?:sh|ts)\n[\s\S]*?^```$/gm, "")) ?? [];
      if (contents === undefined) throw new Error(`sdk/README.md has no example under "${path}"`);
      return {
        contents: contents.replaceAll('"http://localhost:3000"', "globalThis.oracleUrl"),
        loader: "tsx",
        resolveDir: join(projectRoot, "test/browser"),
      };
    });
  },
};

/** The build options of a page, for tests and benchmarks. */
export function pageBuild(mode: PageMode) {
  return {
    absWorkingDir: projectRoot,
    // Its paths are the entries of the SDK.
    tsconfig: "tsconfig.sdk.json",
    outdir: "dist/pages",
    bundle: true,
    write: false,
    format: "esm",
    splitting: true,
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxDev: mode === "development",
    minify: mode === "production",
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    plugins: [readmeExamples],
  } as const satisfies BuildOptions;
}

async function bundle(name: string, mode: PageMode): Promise<PageBundle> {
  const entryPoints = [`test/browser/${name}.tsx`];
  const { outputFiles } = await build({ ...pageBuild(mode), entryPoints, logLevel: "silent" });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}
