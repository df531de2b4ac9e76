/** `npm run backup -- verify`: compares a backup with a server, by counts and digests; it names tables and classes, never rows. */
import { createHash } from "node:crypto";
import * as z from "zod";
import { backedUpClasses } from "../../shared/backup-classes.ts";
import { keyOf, type Row, type Table } from "../../shared/tables/table.ts";
import { onlyGrows, rowSchema, storedPage, type StoredPage } from "./contents.ts";
import { linesOf, type BackupFolder, type Manifest } from "./folder.ts";
import type { Operator } from "./operator.ts";
import { readObjects } from "./read-objects.ts";
import { answersOf } from "./run-backup.ts";

/** Tables that a running server changes without a caller: named if they differ, and not counted as a difference. */
const volatile = new Set(["audit_numbers", "registry_jobs", "ussd_totals_until", "staff_sessions", "stored_objects"]);
/** Tables of objects that count, or that a restored object's alarm changes. */
const volatileObjectTables = new Set(["requests", "turns", "sockets"]);

export interface VerifyRun {
  readonly folder: BackupFolder;
  readonly operator: Operator;
  readonly print: (line: string) => void;
}

interface Sum {
  readonly rows: number;
  readonly digest: string;
}

/** The number of tables, classes and answers that differ. */
export async function runVerify({ folder, operator, print }: VerifyRun, manifest: Manifest): Promise<number> {
  const backup = z.object({ backup: z.string() }).parse(await operator.json("/staff/backups", {})).backup;
  let differences = 0;
  const report = (name: string, stored: Sum, served: Sum, isVolatile = false): void => {
    const isEqual = stored.rows === served.rows && stored.digest === served.digest;
    if (!isEqual && !isVolatile) differences += 1;
    const word = isVolatile ? "has changed" : "DIFFERS";
    print(isEqual ? `${name}: ${textOf(stored)}` : `${name}: ${word}: ${textOf(stored)}; ${textOf(served)}`);
  };
  for (const table of manifest.tables) {
    const parts = manifest.parts.filter(({ kind, store }) => kind === "table" && store === table.name);
    const stored = new RowSum();
    for (const part of parts) for (const row of z.array(rowSchema).parse(linesOf(folder, part))) stored.add(row);
    // Rows that were added since the backup are no difference in a table that only grows.
    const most = onlyGrows(table.name) ? stored.rows : Infinity;
    report(table.name, stored.sum(), await servedSum(operator, backup, table, most), volatile.has(table.name));
  }
  await verifyObjects({ folder, operator, print }, manifest, backup, report);
  const answers = await answersOf(operator, Object.keys(manifest.answers));
  for (const [path, digest] of Object.entries(manifest.answers)) {
    const isEqual = answers[path] === digest;
    if (!isEqual) differences += 1;
    print(`GET ${path}: ${isEqual ? "equal" : "DIFFERS"}`);
  }
  return differences;
}

async function servedSum(operator: Operator, backup: string, table: Table, most: number): Promise<Sum> {
  const sum = new RowSum();
  for (let after: Row | undefined; sum.rows < most;) {
    const { rows, isEnd } = await operator.rows(backup, table.name, after);
    for (const row of rows) if (sum.rows < most) sum.add(row);
    const last = rows.at(-1);
    if (isEnd || last === undefined) break;
    after = keyOf(table, last);
  }
  return sum.sum();
}

/** All objects of the backup, by class; the rows of each in the order of its pages. */
async function verifyObjects(
  { folder, operator }: VerifyRun,
  manifest: Manifest,
  backup: string,
  report: (name: string, stored: Sum, served: Sum) => void,
): Promise<void> {
  const known = new Map(backedUpClasses.map((of) => [of, new Map<string, ObjectSum>()]));
  for (const part of manifest.parts.filter(({ kind }) => kind === "objects")) {
    for (const page of z.array(storedPage).parse(linesOf(folder, part))) addPage(known.get(page.class), page);
  }
  for (const [of, objects] of known) {
    const served = new Map<string, ObjectSum>();
    const names = [...objects.keys()];
    for await (const page of readObjects(operator, backup, of, names, () => undefined)) addPage(served, page);
    report(of, sumOf(names, objects), sumOf(names, served));
  }
}

interface ObjectSum {
  readonly attempt: number;
  readonly rows: RowSum;
}

function addPage(objects: Map<string, ObjectSum> | undefined, { name, attempt, tables, rows }: StoredPage): void {
  const known = objects?.get(name);
  const sum = known?.attempt === attempt ? known : { attempt, rows: new RowSum() };
  objects?.set(name, sum);
  for (const [at, ...values] of rows) {
    const table = tables[at]?.name ?? "";
    if (!volatileObjectTables.has(table)) sum.rows.add([table, ...values]);
  }
}

function sumOf(names: readonly string[], objects: ReadonlyMap<string, ObjectSum>): Sum {
  const all = new RowSum();
  let rows = 0;
  for (const name of names.toSorted()) {
    const own = objects.get(name)?.rows.sum() ?? { rows: 0, digest: "" };
    rows += own.rows;
    all.add([name, own.digest]);
  }
  return { rows, digest: all.sum().digest };
}

class RowSum {
  readonly #hash = createHash("sha256");
  rows = 0;

  add(row: Row): void {
    this.rows += 1;
    this.#hash.update(`${JSON.stringify(row)}\n`);
  }

  sum(): Sum {
    return { rows: this.rows, digest: this.#hash.copy().digest("hex") };
  }
}

/** Hexadecimal digits of a digest that are printed. */
const DIGITS = 16;

function textOf({ rows, digest }: Sum): string {
  return `${rows} rows, ${digest.slice(0, DIGITS)}`;
}
