/** The registry's journey on both engines: the same requests, and equal answers except for random values. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { journey } from "../support/registry/journey.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";
import { createSqliteDatabase } from "../support/storage/sqlite-database.ts";

const migrations = readdirSync("migrations").filter((name) => name.endsWith(".sql"));

test("PostgreSQL and D1 answer a domain's life alike: create, vote, verify, list, search, GraphQL [RG-275]", async () => {
  const [one, other] = [await journey(freshPostgres()), await journey(createSqliteDatabase(migrations))];
  expect(one).toEqual(other);
});
