/** `npm run restore`: writes a backup into an empty installation. A restore that was interrupted continues. */
import * as z from "zod";
import { rowSchema, storedPage, type StoredPage } from "./contents.ts";
import { linesOf, type BackupFolder, type Manifest } from "./folder.ts";
import type { Operator } from "./operator.ts";

/** Rows of one request, and characters, below the limit of a parameter of D1. */
const ROWS = 500;
const SIZE = 600_000;
/** Pages of objects in one request, and characters. */
const PAGES = 50;
const PAGES_SIZE = 2_000_000;

const progressSchema = z.object({ rows: z.record(z.string(), z.number()), objectParts: z.number() });

export interface RestoreRun {
  readonly folder: BackupFolder;
  readonly operator: Operator;
  readonly note: (line: string) => void;
}

export async function runRestore({ folder, operator, note }: RestoreRun, manifest: Manifest): Promise<void> {
  const { id: backup, tables, parts, numbers } = manifest;
  // Before anything is written.
  for (const part of parts) linesOf(folder, part);
  const progress = progressSchema.parse(await operator.json("/staff/restores", { backup, tables }));
  for (const table of tables) {
    const own = parts.filter(({ kind, store }) => kind === "table" && store === table.name);
    let first = 0;
    let written = progress.rows[table.name] ?? 0;
    for (const part of own) {
      const begin = first;
      first += part.rows;
      if (written >= first) continue;
      const rows = z.array(rowSchema).parse(linesOf(folder, part));
      for (const chunk of chunksOf(rows.slice(written - begin), ROWS, SIZE)) {
        await operator.json("/staff/restores/rows", { backup, table, from: written, rows: chunk });
        written += chunk.length;
      }
    }
    note(`${table.name}: ${written} rows`);
  }
  const objects = parts.filter(({ kind }) => kind === "objects");
  for (const [index, part] of objects.entries()) {
    if (index < progress.objectParts) continue;
    await restoreObjects(operator, backup, z.array(storedPage).parse(linesOf(folder, part)), index + 1);
    note(`${part.store}: part ${index + 1} of ${objects.length}`);
  }
  await operator.json("/staff/restores/end", { backup, numbers });
}

/** `part` is the number of parts that are complete with the last of the pages. */
async function restoreObjects(
  operator: Operator,
  backup: string,
  pages: readonly StoredPage[],
  part: number,
): Promise<void> {
  const groups = groupsOf(pages).flatMap((group) => chunksOf(group, PAGES, PAGES_SIZE));
  for (const [index, group] of groups.entries()) {
    await operator.json("/staff/restores/objects", {
      backup,
      class: group[0]?.class,
      pages: group,
      ...(index === groups.length - 1 ? { part } : {}),
    });
  }
}

/** Neighbours of one class. */
function groupsOf(pages: readonly StoredPage[]): readonly (readonly StoredPage[])[] {
  const groups: StoredPage[][] = [];
  for (const page of pages) {
    const group = groups.at(-1);
    if (group?.[0]?.class === page.class) group.push(page);
    else groups.push([page]);
  }
  return groups;
}

function chunksOf<Item>(items: readonly Item[], most: number, size: number): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  let [chunk, characters]: [Item[], number] = [[], 0];
  for (const item of items) {
    const own = JSON.stringify(item).length;
    if (chunk.length > 0 && (chunk.length >= most || characters + own > size)) {
      chunks.push(chunk);
      [chunk, characters] = [[], 0];
    }
    chunk.push(item);
    characters += own;
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}

/** The DIDs of the users whose objects a backup contains, one a line. */
export function usersIn(folder: BackupFolder, { parts, tables }: Manifest): string {
  const columns = tables.find(({ name }) => name === "stored_objects")?.columns.map(({ name }) => name) ?? [];
  const [of, name] = [columns.indexOf("class"), columns.indexOf("name")];
  const own = parts.filter(({ kind, store }) => kind === "table" && store === "stored_objects");
  const rows = own.flatMap((part) => z.array(rowSchema).parse(linesOf(folder, part)));
  const users = rows.filter((row) => row[of] === "UserVault" && row[name]?.startsWith("did:"));
  return users.map((row) => `${row[name]}\n`).join("");
}
