/**
 * `npm run db -- copy`: makes the tables of one database equal to those of another, page by page in the order of their keys. The source
 * is only read, so its registry stays in use. Rows and progress are written together, so a killed copy continues where it stopped.
 */
import { failure, success, type Result } from "../../platform/result.ts";
import {
  beginState,
  endState,
  progressOf,
  readState,
  restartState,
  restoreParts,
  type CopyState,
} from "./copy-state.ts";
import { jsonOf, keyOf, readPage, type Database, type Row, type Table } from "./database.ts";
import { sameTables } from "./same-tables.ts";
import { walk } from "./walk.ts";

export interface CopyOptions {
  /** Allows a target that has rows: those that the source does not have are deleted. */
  readonly catchUp: boolean;
  /** Receives one line for each table, and lines about long tables. */
  readonly note: (line: string) => void;
}

export interface CopySum {
  readonly written: number;
  readonly removed: number;
  readonly equal: number;
}

/** Written and removed rows of one batch. */
const BATCH_ROWS = 500;
/** Characters of the written rows, below the 2 MB of a parameter of D1. */
const BATCH_SIZE = 600_000;
/** Rows between two lines about a long table, and between two notes of the progress over equal rows. */
const NOTED_ROWS = 50_000;

export async function copyDatabase(
  source: Database,
  target: Database,
  options: CopyOptions,
): Promise<Result<CopySum, string>> {
  const tables = await sameTables(source, target);
  if (!tables.ok) return tables;
  if (!(await target.engine.lock(target.runner))) return failure(`another copy into ${target.place} is running`);
  const begun = await begin(source, target, tables.value, options);
  if (!begun.ok) return begun;
  let sum: CopySum = { written: 0, removed: 0, equal: 0 };
  for (const table of tables.value) {
    const known = begun.value.tables.get(table.name);
    if (known?.isDone === true) continue;
    const part = await copyTable(source, target, table, { after: known?.after, note: options.note });
    sum = added(sum, part);
  }
  const mismatch = await restoreParts(target);
  if (mismatch !== undefined) {
    return failure(
      `the source changed while it was copied: ${mismatch}\nRun the same command again; if this repeats, stop the writes and the schedule first`,
    );
  }
  await finish(source, target);
  return success(sum);
}

async function begin(
  source: Database,
  target: Database,
  tables: readonly Table[],
  { catchUp, note }: CopyOptions,
): Promise<Result<CopyState, string>> {
  const state = await readState(target);
  if (state === undefined) {
    const filled = await firstFilled(target, tables);
    if (filled !== undefined && !catchUp) {
      return failure(
        `${target.place} has rows, such as in ${filled}. With --catch-up, the copy makes it equal to ${source.place}: ` +
          "it replaces rows that differ, and deletes rows that the source does not have",
      );
    }
    const parts = await target.engine.parts(target.runner, filled === undefined);
    await beginState(target, source.place, parts);
    return success({ source: source.place, tables: new Map() });
  }
  if (state.source !== source.place) {
    return failure(
      `a copy of ${state.source} into ${target.place} is in progress: finish it first, or start with an empty target`,
    );
  }
  const isRead = tables.every(({ name }) => state.tables.get(name)?.isDone === true);
  note(isRead ? "Reading all tables again ..." : "Continuing the copy that was interrupted ...");
  if (!isRead) return success(state);
  await target.runner.batch([restartState()]);
  return success({ source: state.source, tables: new Map() });
}

async function firstFilled(target: Database, tables: readonly Table[]): Promise<string | undefined> {
  for (const table of tables) if ((await readPage(target, table)).length > 0) return table.name;
  return undefined;
}

interface TableCopy {
  readonly after: Row | undefined;
  readonly note: (line: string) => void;
}

async function copyTable(
  source: Database,
  target: Database,
  table: Table,
  { after, note }: TableCopy,
): Promise<CopySum> {
  let [written, removed, equal, read] = [0, 0, 0, 0];
  let position = after;
  let [rows, keys, size, unsaved]: [Row[], Row[], number, number] = [[], [], 0, 0];
  const save = async (isDone: boolean): Promise<void> => {
    const { engine, runner } = target;
    await runner.batch([
      ...(keys.length === 0 ? [] : [{ sql: engine.removeSql(table), values: [jsonOf(engine, keys)] }]),
      ...(rows.length === 0 ? [] : [{ sql: engine.writeSql(table), values: [jsonOf(engine, rows)] }]),
      progressOf(table, { after: position, isDone }),
    ]);
    [written, removed] = [written + rows.length, removed + keys.length];
    [rows, keys, size, unsaved] = [[], [], 0, 0];
  };
  for await (const step of walk(source, target, table, after)) {
    const row = step.kind === "extra" ? step.target : step.source;
    if (step.kind === "equal") equal += 1;
    else if (step.kind === "extra") keys.push(keyOf(table, row));
    else {
      rows.push(row);
      size += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    }
    position = keyOf(table, row);
    unsaved += 1;
    read += 1;
    if (read % NOTED_ROWS === 0) note(`${table.name}: ${read.toLocaleString("en-US")} rows ...`);
    if (rows.length + keys.length >= BATCH_ROWS || size >= BATCH_SIZE || unsaved >= NOTED_ROWS) await save(false);
  }
  await save(true);
  const words = [
    `${written} written`,
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(equal > 0 ? [`${equal} equal`] : []),
  ];
  note(`${table.name}: ${words.join(", ")}`);
  return { written, removed, equal };
}

function added(one: CopySum, other: CopySum): CopySum {
  return {
    written: one.written + other.written,
    removed: one.removed + other.removed,
    equal: one.equal + other.equal,
  };
}

/** Numbers that the source gave to rows which are deleted by now are not given again. */
async function finish(source: Database, target: Database): Promise<void> {
  const { engine, runner } = target;
  const [given, own] = [await source.engine.lastNumbers(source.runner), await engine.lastNumbers(runner)];
  const numbers = [...own].flatMap(([table, last]) => {
    const other = given.get(table) ?? 0n;
    return engine.setLastNumber(table, other > last ? other : last);
  });
  await endState(target, numbers);
  for (const sql of engine.afterCopy) await runner.query({ sql });
}
