/** `npm run backup`: reads the server's tables and objects into a folder. A backup that was interrupted continues. */
import * as z from "zod";
import { keyOf, type Row, type Table } from "../../shared/tables/table.ts";
import { listedClasses, onlyGrows, publicPaths, rowSchema, sessionsIn, tableSchema } from "./contents.ts";
import { linesOf, newManifest, type BackupFolder, type Manifest, type Part } from "./folder.ts";
import { Refusal, type Operator } from "./operator.ts";
import { readObjects } from "./read-objects.ts";
import { sha256 } from "./sealed-file.ts";

/** Characters of a part before it is compressed, about. */
const PART_SIZE = 8_000_000;
/** Milliseconds in which the server continues a backup, with a margin. */
const CONTINUED_MS = 23 * 3_600_000;

const progressSchema = z.object({
  tables: z.array(z.string()),
  classes: z.array(z.string()),
  /** In the table or class that is being read: the last key, or the last name. */
  after: z.array(z.union([z.string(), z.null()])).optional(),
});
type Progress = z.output<typeof progressSchema>;

const begunSchema = z.object({
  backup: z.string(),
  engine: z.string(),
  tables: z.array(tableSchema),
  numbers: z.record(z.string(), z.string()),
});

export interface BackupRun {
  readonly folder: BackupFolder;
  readonly operator: Operator;
  readonly release: string;
  /** Reads tables that only grow from their first row, too. */
  readonly isFull: boolean;
  readonly note: (line: string) => void;
  readonly now: () => number;
}

export async function runBackup(run: BackupRun): Promise<Manifest> {
  const unfinished = run.folder.unfinished();
  if (!unfinished.ok) throw new Refusal(unfinished.error);
  const isFresh = Date.parse(unfinished.value?.createdAt ?? "") > run.now() - CONTINUED_MS;
  const continued = isFresh ? unfinished.value : undefined;
  if (continued !== undefined) run.note(`Continuing the backup ${continued.id} ...`);
  const writer = new BackupWriter(run, continued ?? (await begin(run)));
  await writer.readTables();
  for (const of of listedClasses) await writer.readClass(of);
  return writer.finish();
}

async function begin({ operator, folder, release, now }: BackupRun): Promise<Manifest> {
  const { backup: id, engine, tables, numbers } = begunSchema.parse(await operator.json("/staff/backups", {}));
  const manifest = newManifest(folder.key, {
    id,
    release,
    engine,
    createdAt: new Date(now()).toISOString(),
    tables,
    numbers,
    parts: [],
    answers: {},
    changing: 0,
    progress: folder.sealProgress(id, { tables: [], classes: [] }),
  });
  folder.write(manifest);
  return manifest;
}

class BackupWriter {
  readonly #run: BackupRun;
  #manifest: Manifest;
  #progress: Progress;
  #changing = 0;

  constructor(run: BackupRun, manifest: Manifest) {
    this.#run = run;
    this.#manifest = manifest;
    this.#progress = progressSchema.parse(run.folder.readProgress(manifest));
  }

  async readTables(): Promise<void> {
    // Tables that others refer to come last here, so that a backup of a running server has them too.
    for (const table of this.#manifest.tables.toReversed()) {
      if (this.#progress.tables.includes(table.name)) continue;
      if (onlyGrows(table.name) && this.#progress.after === undefined && !this.#run.isFull) await this.#adopt(table);
      await this.#readTable(table);
    }
  }

  /** Takes over the parts of the newest complete backup, if the table still has its last row. */
  async #adopt(table: Table): Promise<void> {
    const { folder, note } = this.#run;
    const earlier = folder.newest();
    const parts = earlier.ok
      ? earlier.value.parts.filter(({ store, kind }) => kind === "table" && store === table.name)
      : [];
    const last = parts.at(-1);
    const shape = earlier.ok ? earlier.value.tables.find(({ name }) => name === table.name) : undefined;
    if (last?.position === undefined || JSON.stringify(shape) !== JSON.stringify(table)) return;
    const lines = folder.readPart(last);
    const known = lines.ok ? lines.value.at(-1) : undefined;
    const { rows } = await this.#rowsAfter(table, [String(last.position - 1)]);
    if (known === undefined || JSON.stringify(rows[0]) !== JSON.stringify(known)) return;
    note(`${table.name}: ${sumOf(parts)} rows are in earlier parts`);
    this.#save({ parts, progress: { ...this.#progress, after: [String(last.position)] } });
  }

  async #readTable(table: Table): Promise<void> {
    const { note } = this.#run;
    for (let isAtEnd = false; !isAtEnd;) {
      const rows: Row[] = [];
      let [size, after] = [0, this.#progress.after];
      while (size < PART_SIZE) {
        const page = await this.#rowsAfter(table, after);
        rows.push(...page.rows);
        size += JSON.stringify(page.rows).length;
        const last = page.rows.at(-1);
        if (last !== undefined) after = [...keyOf(table, last)];
        isAtEnd = page.isEnd;
        if (isAtEnd) break;
      }
      const parts = rows.length === 0 ? [] : [this.#part(table.name, "table", rows, rows.length)];
      const { tables, classes } = this.#progress;
      const progress = isAtEnd ? { tables: [...tables, table.name], classes } : { tables, classes, after };
      this.#save({ parts, progress });
    }
    const own = this.#manifest.parts.filter(({ store, kind }) => kind === "table" && store === table.name);
    note(`${table.name}: ${sumOf(own)} rows`);
  }

  #rowsAfter(table: Table, after: Row | undefined) {
    return this.#run.operator.rows(this.#manifest.id, table.name, after);
  }

  async readClass(of: (typeof listedClasses)[number]): Promise<void> {
    if (this.#progress.classes.includes(of)) return;
    let [after] = this.#progress.after ?? [];
    let [lines, size]: [unknown[], number] = [[], 0];
    const objects = new Map<string, number>([[of, 0]]);
    let parts: Part[] = [];
    const flush = (): void => {
      if (lines.length > 0) parts.push(this.#part(of, "objects", lines, rowsIn(lines), parts.length));
      [lines, size] = [[], 0];
    };
    const read = async (kind: typeof of | "ChatSession", names: readonly string[]): Promise<void> => {
      const sessions: string[] = [];
      const { operator } = this.#run;
      for await (const page of readObjects(operator, this.#manifest.id, kind, names, () => (this.#changing += 1))) {
        lines.push(page);
        size += JSON.stringify(page).length;
        if (page.isLast) objects.set(kind, (objects.get(kind) ?? 0) + 1);
        if (kind === "UserVault") sessions.push(...sessionsIn(page));
        if (size >= PART_SIZE) flush();
      }
      if (sessions.length > 0) await read("ChatSession", [...new Set(sessions)]);
    };
    for (;;) {
      const names = await this.#names(of, after);
      const last = names.at(-1);
      await read(of, names);
      const { tables, classes } = this.#progress;
      const isAtEnd = last === undefined;
      if (isAtEnd || parts.length > 0 || size >= PART_SIZE / 2) {
        flush();
        const progress = isAtEnd ? { tables, classes: [...classes, of] } : { tables, classes, after: [last] };
        this.#save({ parts, progress });
        parts = [];
      }
      if (isAtEnd) break;
      after = last;
    }
    for (const [kind, count] of objects) this.#run.note(`${kind}: ${count} objects`);
  }

  async #names(of: string, after: string | null | undefined): Promise<readonly string[]> {
    const answer = await this.#run.operator.json("/staff/backups/names", {
      backup: this.#manifest.id,
      class: of,
      ...(typeof after === "string" ? { after } : {}),
    });
    return z.object({ names: z.array(z.string()) }).parse(answer).names;
  }

  /** @param waiting parts that are written and not yet in the manifest. */
  #part(store: string, kind: Part["kind"], lines: readonly unknown[], rows: number, waiting = 0): Part {
    const number = String(this.#manifest.parts.length + waiting + 1).padStart(5, "0");
    const file = `${this.#manifest.id}/${number}-${store}.part`;
    const [last] = kind === "table" && onlyGrows(store) ? z.array(rowSchema).parse(lines.slice(-1)) : [];
    const position = last === undefined ? {} : { position: Number(last[0]) };
    return this.#run.folder.writePart({ file, store, kind, ...position }, lines, rows);
  }

  #save({ parts, progress }: { readonly parts: readonly Part[]; readonly progress: Progress }): void {
    const { folder } = this.#run;
    this.#progress = progress;
    this.#manifest = {
      ...this.#manifest,
      parts: [...this.#manifest.parts, ...parts],
      changing: this.#manifest.changing + this.#changing,
      progress: folder.sealProgress(this.#manifest.id, progress),
    };
    this.#changing = 0;
    folder.write(this.#manifest);
  }

  async finish(): Promise<Manifest> {
    const { operator, folder, now } = this.#run;
    const finishedAt = new Date(now()).toISOString();
    const { tables, parts } = this.#manifest;
    const first = parts.find(({ kind, store }) => kind === "table" && store === "domains");
    const rows = first === undefined ? [] : z.array(rowSchema).parse(linesOf(folder, first));
    const paths = publicPaths(
      tables.find(({ name }) => name === "domains"),
      rows,
    );
    this.#manifest = { ...this.#manifest, answers: await answersOf(operator, paths), finishedAt };
    folder.write(this.#manifest);
    return this.#manifest;
  }
}

/** The digest of each public answer, without the address of the server. */
export async function answersOf(
  operator: Operator,
  paths: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {};
  for (const path of paths) answers[path] = sha256((await operator.publicAnswer(path)).replaceAll(operator.url, ""));
  return answers;
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}

function rowsIn(lines: readonly unknown[]): number {
  return z
    .array(z.object({ rows: z.array(z.unknown()) }))
    .parse(lines)
    .reduce((sum, { rows }) => sum + rows.length, 0);
}
