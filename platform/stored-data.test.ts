/** The inventory of stored data: complete, and as docs/data-protection.md shows it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { declarations, declaredIn, holdings, withStoredData } from "../test/support/documents/stored-data.ts";

const root = join(import.meta.dirname, "..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** All tables of the migrated database, without SQLite's own and those of the full-text index. */
function tablesOfDatabase(): readonly string[] {
  const database = new DatabaseSync(":memory:");
  for (const path of globSync("migrations/*.sql", { cwd: root }).toSorted()) database.exec(textOf(path));
  const names = database.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'domain_search_*'
     ORDER BY name`,
  );
  return names.all().map(({ name }) => String(name));
}

/** The bindings of a kind in wrangler.toml, for all environments. */
function bindings(section: RegExp, member: string): readonly string[] {
  const sections = textOf("wrangler.toml").split(/^(?=\[)/m);
  const found = sections.filter((text) => section.test(text));
  return [...new Set(found.flatMap((text) => new RegExp(`^${member} = "(.+)"`, "m").exec(text)?.[1] ?? []))].toSorted();
}

/** Kinds of bindings that store nothing, or whose content is declared by their classes. */
const WITHOUT_DATA = /^\[\[(?:env\.\w+\.)?(?:durable_objects\.bindings|migrations|rules|env\.\w+\.rules)\]\]/;

test("every table of the database is declared, and no other [ALL-80]", () => {
  expect(declaredIn("DATABASE")).toEqual(tablesOfDatabase());
});

test("every object class and every binding that stores data is declared [ALL-80]", () => {
  const places = new Set(declarations.map(({ place }) => place));
  const classes = bindings(/^\[\[.*durable_objects\.bindings\]\]/, "class_name");
  expect(classes.length).toBeGreaterThan(5);
  expect(classes.filter((name) => !places.has(name))).toEqual([]);
  const stores = bindings(/^\[\[/, "binding");
  expect(stores).toEqual(expect.arrayContaining(["DATABASE", "BLOBS"]));
  expect(stores.filter((name) => !places.has(name))).toEqual([]);
  const sections = [...textOf("wrangler.toml").matchAll(/^\[\[.+\]\]/gm)].map(([section]) => section);
  expect(sections.filter((section) => !/d1_databases|r2_buckets/.test(section) && !WITHOUT_DATA.test(section))).toEqual(
    [],
  );
});

test("a table is declared once", () => {
  const names = holdings.map(({ place, name }) => `${place} ${name}`);
  expect(names.length).toBe(new Set(names).size);
});

test("docs/data-protection.md shows the declarations [ALL-80]", async () => {
  const page = "docs/data-protection.md";
  await expect(withStoredData(textOf(page))).toMatchFileSnapshot(join(root, page));
});
