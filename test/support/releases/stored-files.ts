/** The SQLite files of a server's storage as one folder of compressed copies, and back. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";

const ENDING = ".sqlite";

/** Without free pages and without a write-ahead log, so that the copy is small. */
export function keepFiles(storage: string, target: string): void {
  rmSync(target, { recursive: true, force: true });
  const scratch = mkdtempSync(join(tmpdir(), "twinedge-keep-"));
  for (const name of filesBelow(storage, ENDING)) {
    const copy = join(scratch, "copy.sqlite");
    rmSync(copy, { force: true });
    const database = new DatabaseSync(join(storage, name));
    database.exec(`VACUUM INTO '${copy}'`);
    database.close();
    const file = join(target, `${name}.gz`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, gzipSync(readFileSync(copy), { level: 9 }));
  }
  rmSync(scratch, { recursive: true });
}

export function restoreFiles(source: string, storage: string): void {
  for (const name of filesBelow(source, `${ENDING}.gz`)) {
    const file = join(storage, name.replace(/\.gz$/, ""));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, gunzipSync(readFileSync(join(source, name))));
  }
}

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(ending));
}
