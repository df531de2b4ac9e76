/**
 * Replaces files that others may be reading: another build, `npm pack`, a server that watches them. Each is replaced whole, and
 * only if its content differs, so that a build of unchanged sources disturbs no reader.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** @param unfinished a temporary path outside the read folder, on the same disk. */
export async function replaceFile(path: string, bytes: Uint8Array, unfinished: string): Promise<void> {
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(bytes) === true) return;
  const fresh = `${unfinished}-${randomUUID()}`;
  await writeFile(fresh, bytes);
  await rename(fresh, path);
}

/** Makes the folder contain exactly these files, by their paths in it. */
export async function replaceFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const path of files.keys()) await mkdir(dirname(join(folder, path)), { recursive: true });
  for (const [path, bytes] of files) await replaceFile(join(folder, path), bytes, `${folder}.new`);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const present = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const others = present.filter((path) => !files.has(relative(folder, path)));
  await Promise.all(others.map((path) => rm(path, { force: true })));
}
