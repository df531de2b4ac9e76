/** The columns that a bulk import converts to numbers. */
import { expect, test } from "vitest";
import { registryMigrations, sqliteWith } from "../../../test/support/storage/sqlite-database.ts";
import { NUMBER_COLUMNS } from "./bulk-creation.ts";

test("the columns that are converted are those that contain numbers in both tables [RG-304]", () => {
  const database = sqliteWith(registryMigrations);
  const columns = ["domains", "domain_history"].flatMap((table) =>
    database.prepare(`SELECT name, type FROM pragma_table_info('${table}')`).all(),
  );
  const numbers = columns.flatMap(({ name, type }) => (type === "INTEGER" && name !== "number" ? [String(name)] : []));
  expect([...NUMBER_COLUMNS]).toEqual([...new Set(numbers)].toSorted());
});
