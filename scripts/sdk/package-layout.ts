/**
 * The files of the SDK's package, selected from the compiler's output for the whole repository: those that an entry reaches, with
 * `sdk/src/` at the top and `protocol/` next to it, and with imports that every consumer can resolve.
 */
import { dirname, join, relative } from "node:path/posix";

/** A relative import, as the compiler writes it: `from`, `import()` and `import "…"`. */
const RELATIVE_IMPORT = /((?:\bfrom |\bimport\(|\bimport )")(\.{1,2}\/[^"]+)\.[tj]sx?"/g;
const PACKAGE_IMPORT = /(?:\bfrom |\bimport\(|^import )"([^."][^"]*)"/gm;

/** The place of a file of the repository in the package. */
function placeOf(path: string): string {
  return path.replace(/^sdk\/src\//, "");
}

/**
 * Paths in the package and their texts, for the entries and everything that they import. `extension` is the compiler's, `.js` or
 * `.d.ts`; paths have none.
 */
export function packageFiles(
  entries: readonly string[],
  extension: ".js" | ".d.ts",
  read: (path: string) => string,
): Map<string, string> {
  const files = new Map<string, string>();
  const waiting = [...entries];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const place = placeOf(path) + extension;
    if (files.has(place)) continue;
    const from = path;
    const text = read(path + extension).replaceAll(RELATIVE_IMPORT, (_, before: string, specifier: string) => {
      const target = join(dirname(from), specifier);
      waiting.push(target);
      const way = relative(dirname(placeOf(from)), `${placeOf(target)}.js`);
      return `${before}${way.startsWith(".") ? way : `./${way}`}"`;
    });
    files.set(place, text);
  }
  return files;
}

/** The names of the packages that a text imports: `@scope/name` for `@scope/name/part`. */
export function packagesIn(text: string): readonly string[] {
  return [...new Set(specifiersIn(text).map(packageOf))];
}

/** The import specifiers of packages in a text. */
export function specifiersIn(text: string): readonly string[] {
  return [...text.matchAll(PACKAGE_IMPORT)].map(([, specifier = ""]) => specifier);
}

export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
