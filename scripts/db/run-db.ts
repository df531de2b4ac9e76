/** The three tasks of `npm run db`. Progress goes to standard error, results to standard output. */
import { join } from "node:path";
import { failure, success, type Result } from "../../platform/result.ts";
import { POSTGRES_FOLDER } from "../local-state.ts";
import { useLocalPostgres } from "../postgres/local-server.ts";
import { migratePostgres } from "../postgres/migrate.ts";
import { runWrangler } from "../wrangler.ts";
import type { DbTask, Place } from "./arguments.ts";
import { copyDatabase } from "./copy.ts";
import type { Database } from "../../shared/tables/table.ts";
import { openPlace, type Opening } from "./open-place.ts";
import { verifyDatabases, type TableReport } from "./verify.ts";

export interface Outputs {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
}

/** The exit code. */
export async function runDb(task: DbTask, { print, note }: Outputs): Promise<number> {
  const outcome = await answered(runTask(task, { print, note }));
  if (outcome.ok) return outcome.value;
  note(`npm run db: ${outcome.error}`);
  return 1;
}

/** A database that refuses a statement or goes away explains it in its own words, which contain no value. */
async function answered(running: Promise<Result<number, string>>): Promise<Result<number, string>> {
  try {
    return await running;
  } catch (error) {
    return failure((error as Error).message);
  }
}

function runTask(task: DbTask, outputs: Outputs): Promise<Result<number, string>> {
  if (task.kind === "migrate") return migrate(task.place, task.stateFolder, outputs);
  const openings = { from: { place: task.from, access: "read" }, to: { place: task.to, access: "write" } } as const;
  const { stateFolder } = task;
  if (task.kind === "verify") {
    const to = { place: task.to, access: "read" } as const;
    return withBoth({ ...openings, to }, stateFolder, (one, other) => verify(one, other, outputs));
  }
  return withBoth(openings, stateFolder, (source, target) => copy(source, target, task.catchUp, outputs));
}

async function copy(
  source: Database,
  target: Database,
  catchUp: boolean,
  { print, note }: Outputs,
): Promise<Result<number, string>> {
  const began = performance.now();
  const copied = await copyDatabase(source, target, { catchUp, note });
  if (!copied.ok) return copied;
  const { written, removed, equal } = copied.value;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  print(
    `${source.place} is copied into ${target.place} in ${seconds} s: ${written} rows written, ${removed} removed, ${equal} equal`,
  );
  return success(0);
}

async function verify(one: Database, other: Database, { print, note }: Outputs): Promise<Result<number, string>> {
  print(`first: ${one.place}\nsecond: ${other.place}`);
  const compared = await verifyDatabases(one, other, (report) => linesOf(report).forEach((line) => print(line)));
  if (!compared.ok) return compared;
  if (compared.value === 0) {
    print("The databases are equal.");
    return success(0);
  }
  note(
    `npm run db: ${compared.value} rows differ. If one of the databases was written since the copy, stop its writes and its ` +
      'schedule (docs/deploy.md, "Move from D1 to PostgreSQL"), run copy with --catch-up, then verify again',
  );
  return success(1);
}

/** Hexadecimal digits of a digest that are printed. */
const DIGITS = 16;

function linesOf({ table, source, target, differences, named }: TableReport): readonly string[] {
  const sum = ({ rows, digest }: TableReport["source"]): string => `${rows} rows, ${digest.slice(0, DIGITS)}`;
  if (differences === 0) return [`${table}: ${sum(source)}`];
  const unnamed = differences - named.length;
  return [
    `${table}: DIFFERS: ${sum(source)}; ${sum(target)}`,
    ...named.map((line) => `  ${line}`),
    ...(unnamed > 0 ? [`  and ${unnamed} more`] : []),
  ];
}

interface Opened {
  readonly place: Place;
  readonly access: Opening["access"];
}

async function withBoth<Value>(
  { from, to }: { readonly from: Opened; readonly to: Opened },
  stateFolder: string,
  work: (from: Database, to: Database) => Promise<Result<Value, string>>,
): Promise<Result<Value, string>> {
  const source = await openPlace(from.place, { stateFolder, access: from.access });
  if (!source.ok) return source;
  try {
    const target = await openPlace(to.place, { stateFolder, access: to.access });
    if (!target.ok) return target;
    try {
      return await work(source.value, target.value);
    } finally {
      await target.value.close();
    }
  } finally {
    await source.value.close();
  }
}

async function migrate(place: Place, stateFolder: string, outputs: Outputs): Promise<Result<number, string>> {
  switch (place.kind) {
    case "local-d1":
      return migrateD1(["--local", "--persist-to", stateFolder], outputs);
    case "remote-d1":
      return migrateD1(["--remote", "--env", place.environment], outputs);
    case "local-postgres": {
      const server = await useLocalPostgres({ folder: join(stateFolder, POSTGRES_FOLDER) });
      if (!server.ok) return server;
      try {
        return await migrateUrl(server.value.url, outputs);
      } finally {
        await server.value.stop();
      }
    }
    case "postgres":
      return migrateUrl(place.url, outputs);
  }
}

/** Wrangler asks no question, because its input is no terminal. */
async function migrateD1(where: readonly string[], { print }: Outputs): Promise<Result<number, string>> {
  const { code, output } = await runWrangler(["d1", "migrations", "apply", "DATABASE", ...where]);
  if (code !== 0) return failure(`wrangler could not apply the migrations:\n${output}`);
  print(output.trimEnd());
  return success(0);
}

async function migrateUrl(url: string, { print }: Outputs): Promise<Result<number, string>> {
  const applied = await migratePostgres(url);
  if (!applied.ok) return applied;
  for (const name of applied.value) print(`applied ${name}`);
  if (applied.value.length === 0) print("No migrations to apply.");
  return success(0);
}
