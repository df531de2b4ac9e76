/** The size of the database on both engines, and its limit. */
import { expect, test } from "vitest";
import type { Database } from "./database.ts";
import { lazyDatabase } from "./lazy-database.ts";
import { maxBytesOf, measureSize } from "./database-size.ts";

function unused(): never {
  throw new Error("the test does not run statements");
}
const DATABASE: Database = { prepare: unused, batch: unused };
const HYPERDRIVE = { connectionString: "postgres://localhost/registry" };

/** PostgreSQL with this many bytes; the driver returns bigint columns as texts. */
const postgres = (bytes: string) =>
  lazyDatabase(() =>
    Promise.resolve({ run: () => Promise.resolve([{ columns: ["bytes"], rows: [[bytes]], changes: 0 }]) }),
  );

test("the setting is the limit; without it, D1 has its platform limit and PostgreSQL has none [RG-274]", () => {
  expect(maxBytesOf({ DATABASE }, 5)).toBe(5);
  expect(maxBytesOf({ DATABASE, HYPERDRIVE }, 5)).toBe(5);
  expect(maxBytesOf({ DATABASE }, 0)).toBe(10_000_000_000);
  expect(maxBytesOf({ DATABASE, HYPERDRIVE }, 0)).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  ["699", "ok"],
  ["700", "warning"],
  ["1000", "full"],
])("PostgreSQL with %s of 1,000 bytes: %s [RG-274]", async (bytes, state) => {
  expect(await measureSize(postgres(bytes), 1_000)).toEqual({ usedBytes: Number(bytes), maxBytes: 1_000, state });
  expect(await measureSize(postgres(bytes), Number.POSITIVE_INFINITY)).toBeUndefined();
});

test("without a limit, PostgreSQL does not measure its files [RG-274]", async () => {
  const asked: string[] = [];
  const database = lazyDatabase(() =>
    Promise.resolve({
      run(statements) {
        asked.push(...statements.map(({ sql }) => sql));
        return Promise.resolve([{ columns: ["bytes"], rows: [["5"]], changes: 0 }]);
      },
    }),
  );
  expect(await measureSize(database, Number.POSITIVE_INFINITY)).toBeUndefined();
  expect(asked).toEqual(["SELECT 1"]);
});
