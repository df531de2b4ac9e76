/**
 * The declarations of the package's entries: the compiler writes those of the whole Worker, and the files that an entry reaches are
 * kept. A consumer's compiler sees only these files, so an error in another one does not matter.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { runCommand } from "../run-command.ts";

/** A relative import of a source file, as declarations have it: in `from`, `import()` and `import "…"`. */
const RELATIVE_IMPORT = /((?:\bfrom |\bimport\(|\bimport )")(\.{1,2}\/[^"]+)\.ts"/g;

/**
 * Authors have their own bindings and variables, which `wrangler types` adds to this global interface. Without that, it is empty.
 */
const GLOBAL_ENV = `declare global {
  interface Env {}
}
`;

/** Path in the package to the text of the declaration; throws the compiler's errors in one of them. */
export async function declarationsOf(entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-declarations-"));
  try {
    const project = ["-p", "tsconfig.worker.json", "--pretty", "false", "--checkers", "1"];
    const emit = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder, "--rootDir", "."];
    const { output } = await runCommand("tsc", [...project, ...emit]);
    const read = (path: string): string => readFileSync(join(folder, path), "utf8");
    const reached = reachedFrom(entries.map(declarationPath), read);
    const errors = output.split("\n").filter((line) => reached.has(declarationPath(line.split("(")[0] ?? "")));
    if (errors.length > 0) throw new Error(`the declarations have errors:\n${errors.join("\n")}`);
    for (const entry of entries.map(declarationPath)) reached.set(entry, `${reached.get(entry) ?? ""}${GLOBAL_ENV}`);
    return reached;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function declarationPath(source: string): string {
  return source.replace(/\.ts$/, ".d.ts");
}

/** The declarations of the entries and of everything that they import, with the extensions that consumers resolve. */
export function reachedFrom(entries: readonly string[], read: (path: string) => string): Map<string, string> {
  const reached = new Map<string, string>();
  const waiting = [...entries];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (reached.has(path)) continue;
    const text = read(path);
    reached.set(path, text.replaceAll(RELATIVE_IMPORT, '$1$2.js"'));
    for (const [, , imported = ""] of text.matchAll(RELATIVE_IMPORT))
      waiting.push(normalize(join(dirname(path), `${imported}.d.ts`)));
  }
  return reached;
}
