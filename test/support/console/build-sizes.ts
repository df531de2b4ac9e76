/** The download size of a build of the console, from Vite's manifest and the files. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const BUILD = resolve(import.meta.dirname, "../../../dist/assets/console");

interface Chunk {
  readonly file: string;
  readonly name?: string;
  readonly isEntry?: boolean;
  /** Keys of the manifest's chunks that are loaded with it. */
  readonly imports?: readonly string[];
  /** Keys of the chunks that it may load later. */
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

export interface BuildSizes {
  /** Bytes after gzip: the entry and its static imports. */
  readonly script: number;
  /** Bytes after gzip of all style sheets. */
  readonly style: number;
  /**
   * Bytes after gzip of each part loaded later: the chunk and its imports, without those that every importing page has already
   * loaded.
   */
  readonly later: readonly { readonly name: string; readonly size: number }[];
}

export function buildSizes(folder: string = BUILD): BuildSizes {
  const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Manifest;
  const size = (file: string): number => gzipSync(readFileSync(join(folder, file))).length;
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry === true);
  const initial = withImports(manifest, entries);
  const sum = (keys: Iterable<string>): number =>
    [...keys]
      .map((key) => manifest[key]?.file ?? "")
      .filter((file) => file.endsWith(".js"))
      .reduce((all, file) => all + size(file), 0);
  const styles = new Set(
    Object.values(manifest)
      .flatMap(({ file, css = [] }) => [file, ...css])
      .filter((file) => file.endsWith(".css")),
  );
  const dynamic = new Set(Object.values(manifest).flatMap(({ dynamicImports = [] }) => dynamicImports));
  return {
    script: sum(initial),
    style: [...styles].reduce((all, file) => all + size(file), 0),
    later: [...dynamic].map((key) => {
      const loaded = loadedBefore(manifest, key, initial);
      return {
        name: manifest[key]?.name ?? key,
        size: sum([...withImports(manifest, [key])].filter((each) => !loaded.has(each))),
      };
    }),
  };
}

/** The files that are loaded in any case before the part. */
function loadedBefore(manifest: Manifest, part: string, initial: ReadonlySet<string>): ReadonlySet<string> {
  const askers = Object.keys(manifest).filter((key) => manifest[key]?.dynamicImports?.includes(part) === true);
  const loads = askers.map((key) => withImports(manifest, [key]));
  const common = Object.keys(manifest).filter((key) => loads.length > 0 && loads.every((each) => each.has(key)));
  return new Set([...initial, ...common]);
}

function withImports(manifest: Manifest, keys: readonly string[], found = new Set<string>()): Set<string> {
  for (const key of keys) {
    if (found.has(key)) continue;
    found.add(key);
    withImports(manifest, manifest[key]?.imports ?? [], found);
  }
  return found;
}
