/** The size of a PostgreSQL database, and the limit of its writes. */
import { expect, test } from "vitest";
import { DatabaseFull, measureSize } from "../../platform/database/database-size.ts";
import { commit, limitSize } from "../../workers/registry/store/batch.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";

const database = freshPostgres();

test("a write beyond DATABASE_MAX_BYTES is refused, and reads continue [RG-274, RG-204]", async () => {
  const size = await measureSize(database, 1);
  expect(size).toMatchObject({ maxBytes: 1, state: "full" });
  expect(size?.usedBytes).toBeGreaterThan(1_000_000);
  const write = () => commit(database, [database.prepare("UPDATE voters SET label = label WHERE did = 'none'")]);
  limitSize(database, 1);
  await expect(write()).rejects.toThrow(DatabaseFull);
  expect(await database.prepare("SELECT count(*) AS domains FROM domains").first()).not.toBeNull();
  limitSize(database, Number.POSITIVE_INFINITY);
  expect(await write()).toBe("committed");
});
