/** The tables of two databases, which have to be the same before rows can be compared. */
import { failure, success, type Result } from "../../platform/result.ts";
import type { Database, Table } from "../../shared/tables/table.ts";

export async function sameTables(source: Database, target: Database): Promise<Result<readonly Table[], string>> {
  const [left, right] = await Promise.all([source, target].map(({ engine, runner }) => engine.tables(runner)));
  const [ours, theirs] = [byName(left ?? []), byName(right ?? [])];
  const faults = [...new Set([...ours.keys(), ...theirs.keys()])].toSorted().flatMap((name) => {
    const [one, other] = [ours.get(name), theirs.get(name)];
    if (one === undefined) return [`${source.place} has no table ${name}`];
    if (other === undefined) return [`${target.place} has no table ${name}`];
    return shapeOf(one) === shapeOf(other) ? [] : [`${name} has other columns: ${shapeOf(one)}; ${shapeOf(other)}`];
  });
  if (faults.length === 0) return success([...ours.values()].toSorted(parentsFirst));
  const advice = "Apply the migrations of one release to both: npm run db -- migrate";
  return failure(`the tables of the two databases differ:\n${faults.map((line) => `  ${line}`).join("\n")}\n${advice}`);
}

function byName(tables: readonly Table[]): ReadonlyMap<string, Table> {
  return new Map(tables.map((table) => [table.name, table]));
}

function shapeOf({ columns, keyLength }: Table): string {
  const words = columns.map(({ name, kind }, index) => `${name} ${kind}${index < keyLength ? " (key)" : ""}`);
  return words.join(", ");
}

/** Tables that others refer to: D1 checks references while a row is written. */
const parents = ["phones", "customers"];

function parentsFirst(one: Table, other: Table): number {
  const rank = ({ name }: Table): number => Number(!parents.includes(name));
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1);
}
