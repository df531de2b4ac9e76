/** The all-zero database id of a fresh clone is detected, a real one passes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { placeholderDatabase } from "./placeholder-database.ts";

function configWith(id: string): string {
  const path = join(temporaryDirectory(), "wrangler.toml");
  const database = `[[env.staging.d1_databases]]\nbinding = "DATABASE"\ndatabase_name = "edge-staging"\ndatabase_id = "${id}"\n`;
  writeFileSync(path, `name = "x"\nmain = "x.ts"\ncompatibility_date = "2026-01-01"\n[env.staging]\n${database}`);
  return path;
}

test("the zeros of a fresh clone are reported with the next step", () => {
  expect(placeholderDatabase("staging", configWith("00000000-0000-0000-0000-000000000000"))).toContain(
    "`npx wrangler d1 create edge-staging`",
  );
  expect(placeholderDatabase("staging", configWith(""))).toContain("env.staging in wrangler.toml");
});

test("a real id passes", () => {
  expect(placeholderDatabase("staging", configWith("5b1f0c3e-0000-4000-8000-000000000000"))).toBeUndefined();
});
