/**
 * What an application's visitors load of the SDK: a small program bundled and minified as applications are, split into what is
 * loaded at once and what is loaded when it is needed.
 */
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

export interface ProgramSize {
  /** Bytes after `gzip -9`: the program and everything that it imports statically. */
  readonly atOnce: number;
  /** Of each chunk that it imports later, by the name of the module that it is asked for. */
  readonly later: Readonly<Record<string, number>>;
  /** Paths of all modules that are loaded at once, with their packages. */
  readonly modules: readonly string[];
}

/**
 * @param programs source texts by name, bundled together: what two of them need is shared.
 * @param folder whose node_modules hold the SDK.
 * @param given packages that the application has anyway: they are not counted.
 */
export async function programSizes<Name extends string>(
  programs: Readonly<Record<Name, string>>,
  folder: string,
  given: readonly string[],
): Promise<Record<Name, ProgramSize>> {
  const names = Object.keys(programs) as Name[];
  const { outputFiles, metafile } = await build({
    entryPoints: names.map((name) => ({ in: name, out: name })),
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
    outbase: folder,
    chunkNames: "[name]-[hash]",
    metafile: true,
    write: false,
    legalComments: "none",
    preserveSymlinks: true,
    logLevel: "error",
    plugins: [
      {
        name: "programs",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /./ }, ({ path, kind }) =>
            kind === "entry-point" ? { path, namespace: "program" } : undefined,
          );
          onLoad({ filter: /./, namespace: "program" }, ({ path }) => ({
            contents: programs[path as Name],
            resolveDir: folder,
          }));
        },
      },
    ],
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [path.slice(folder.length + 1), gzipSync(contents, { level: 9 }).length]),
  );
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce((total, path) => total + (sizes.get(path) ?? 0), 0);
  const sizeOf = (name: string): ProgramSize => {
    const atOnce = reachable(metafile, `${name}.js`, false);
    const later = [...reachable(metafile, `${name}.js`, true)].filter((path) => !atOnce.has(path));
    return {
      atOnce: sum(atOnce),
      later: Object.fromEntries(later.map((path) => [path, sum([path])])),
      modules: [...atOnce].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {})),
    };
  };
  return Object.fromEntries(names.map((name) => [name, sizeOf(name)])) as Record<Name, ProgramSize>;
}

/** The chunks that one chunk imports, and those that they import. */
function reachable({ outputs }: Metafile, first: string, withDynamic: boolean): ReadonlySet<string> {
  const found = new Set([first]);
  // A set is walked in the order of insertion, also over what is added meanwhile.
  for (const path of found)
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? [])
      if (external !== true && (withDynamic || kind !== "dynamic-import")) found.add(imported);
  return found;
}
