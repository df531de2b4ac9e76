/** Full databases of SQLite: no page can be added, and the free space in the pages is used up. */
import type { Database } from "../../../platform/database/database.ts";

/** Writes that fail in a row before the database counts as full: each needs room in several pages. */
const REFUSED = 30;

/** Calls `write` until it no longer stores anything; it returns whether it stored something. */
export async function fillDatabase(database: Database, write: () => Promise<boolean>): Promise<void> {
  const pages = await database.prepare("PRAGMA page_count").first<number>("page_count");
  await database.prepare(`PRAGMA max_page_count = ${pages}`).run();
  for (let refused = 0; refused < REFUSED;) refused = (await write()) ? 0 : refused + 1;
}

export async function makeRoom(database: Database): Promise<void> {
  await database.prepare("PRAGMA max_page_count = 1000000").run();
}

/** Whether the statement was stored. */
export async function isStored(statement: () => Promise<unknown>): Promise<boolean> {
  try {
    await statement();
    return true;
  } catch (thrown) {
    if (String(thrown).includes("database or disk is full")) return false;
    throw thrown;
  }
}
