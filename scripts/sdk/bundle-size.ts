/**
 * The download size of the SDK for an application's visitors: a small program, bundled and minified like an application, split into
 * code that is loaded at once and code that is loaded when needed.
 */
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

export interface ProgramSize {
  /** Bytes after `gzip -9`: the program and its static imports. */
  readonly atOnce: number;
  /** For each chunk that it imports later, by the name of the requested module. */
  readonly later: Readonly<Record<string, number>>;
  /** Paths of all modules that are loaded at once, with their packages. */
  readonly modules: readonly string[];
}

/**
 * @param source of the program.
 * @param folder whose node_modules contain the SDK.
 * @param given packages that the application has anyway: they are not counted.
 */
export async function programSize(source: string, folder: string, given: readonly string[]): Promise<ProgramSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: folder, sourcefile: "program.js" },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    external: given.flatMap((name) => [name, `${name}/*`]),
    outdir: folder,
    entryNames: "program",
    chunkNames: "[name]-[hash]",
    metafile: true,
    write: false,
    legalComments: "none",
    preserveSymlinks: true,
    logLevel: "error",
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [path.slice(folder.length + 1), gzipSync(contents, { level: 9 }).length]),
  );
  const atOnce = reachable(metafile, false);
  const later = [...reachable(metafile, true)].filter((path) => !atOnce.has(path));
  return {
    atOnce: [...atOnce].reduce((total, path) => total + (sizes.get(path) ?? 0), 0),
    later: Object.fromEntries(later.map((path) => [path, sizes.get(path) ?? 0])),
    modules: [...atOnce].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {})),
  };
}

/** The chunks that the program imports, directly or indirectly. */
function reachable({ outputs }: Metafile, withDynamic: boolean): ReadonlySet<string> {
  const found = new Set(["program.js"]);
  // A set is iterated in insertion order, including values added meanwhile.
  for (const path of found)
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? [])
      if (external !== true && (withDynamic || kind !== "dynamic-import")) found.add(imported);
  return found;
}
