/** Reads everything that a backup contains: the tables of the database, and the objects that cannot be rebuilt. */
import * as z from "zod";
import { listedClasses, type BackedUpClass } from "../../../shared/backup-classes.ts";
import type { ObjectPage } from "../../../platform/backup/object-page.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { fail, newFailure } from "../../../platform/failure.ts";
import { hexOf } from "../../../platform/digest.ts";
import { reply } from "../../../platform/http/route.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { SMS_OUTBOX } from "../../../platform/object-names.ts";
import { route, type StaffContext } from "../edge.ts";
import { parentsFirst, readRows, tablesOf } from "./database-tables.ts";
import { auditOf, backupId, className, ndjson, objectName, objectOf, row, shared } from "./shared.ts";

/** A backup can be read for a day. */
const READABLE_MS = 24 * 3_600_000;
const ID_BYTES = 4;
/** Names of one list. */
const NAMES = 50;
/** Characters of a response, about. */
const RESPONSE_SIZE = 2_000_000;

const begin = route(
  {
    ...shared,
    path: "/staff/backups",
    id: "beginBackup",
    summary: "Begin a backup",
    description: "The audit log records it. The response lists the tables; the backup can be read for a day.",
    responses: { 201: { description: "The id of the backup, and the tables of the database" } },
  },
  async (_input, c) => {
    const database = tablesOf(c.env.env);
    const tables = (await database.engine.tables(database.runner)).toSorted(parentsFirst);
    const numbers = await database.engine.lastNumbers(database.runner);
    const id = newBackupId(c.var.now);
    const audit = auditOf(c, id);
    await audit.writeNow();
    c.executionCtx.waitUntil(audit.finish(201, undefined, c.env.log));
    const last = Object.fromEntries([...numbers].map(([name, number]) => [name, String(number)]));
    return reply({ backup: id, engine: database.engine.name, tables, numbers: last }, { status: 201 });
  },
);

function newBackupId(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `${time}-${hexOf(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}

/** Whether the audit log has the beginning of the backup. */
async function admitted(c: StaffContext, backup: string): Promise<Result<null>> {
  const known = await databaseOf(c.env.env)
    .prepare("SELECT 1 AS found FROM audit_rows WHERE subject = ?1 AND operation = 'beginBackup' AND at > ?2 LIMIT 1")
    .bind(backup, c.var.now - READABLE_MS)
    .first();
  if (known !== null) return success(null);
  return failure(
    newFailure("not_found", "This backup has not begun, or it began more than a day ago: begin a new one"),
  );
}

const readTable = route(
  {
    ...shared,
    path: "/staff/backups/rows",
    id: "readBackupRows",
    summary: "Read rows of a table in the order of its key",
    body: { schema: z.object({ backup: backupId, table: z.string().max(100), after: row.optional() }) },
    responses: {
      200: {
        description: "NDJSON, about 2 MB: a line for each row, and a last line that says if the table ends there",
      },
    },
    failures: ["invalid_request", "not_found"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const { backup, table: name, after } = given.value;
    const known = await admitted(c, backup);
    if (!known.ok) return known;
    const database = tablesOf(c.env.env);
    const table = (await database.engine.tables(database.runner)).find((each) => each.name === name);
    if (table === undefined) return fail("not_found", `The database has no table ${name}`);
    if (after !== undefined && after.length !== table.keyLength)
      return fail("invalid_request", `\`after\` has ${table.keyLength} values, the key of a row`);
    const { rows, isEnd } = await readRows(database, table, after);
    return ndjson([...rows, { isEnd }]);
  },
);

const listNames = route(
  {
    ...shared,
    path: "/staff/backups/names",
    id: "listBackupObjects",
    summary: "List the names of objects that a backup contains",
    description: "Chat sessions are not listed here: the table `sessions` of a user's object names them.",
    body: { schema: z.object({ backup: backupId, class: className, after: objectName.optional() }) },
    responses: { 200: { description: `Up to ${NAMES} names after \`after\`; an empty list is the end` } },
    failures: ["invalid_request", "not_found"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const { backup, class: of, after = "" } = given.value;
    const known = await admitted(c, backup);
    return known.ok ? reply({ names: await namesOf(c, of, after) }) : known;
  },
);

async function namesOf(c: StaffContext, of: BackedUpClass, after: string): Promise<readonly string[]> {
  const database = databaseOf(c.env.env);
  if (listedClasses.some((name) => name === of)) {
    const sql = "SELECT name FROM stored_objects WHERE class = ?1 AND name > ?2 ORDER BY name LIMIT ?3";
    const { results } = await database.prepare(sql).bind(of, after, NAMES).all<{ name: string }>();
    return results.map(({ name }) => name);
  }
  if (of !== "Outbox") return [];
  const sql = "SELECT 'webhook:' || id AS name FROM webhooks WHERE 'webhook:' || id > ?1 ORDER BY id LIMIT ?2";
  const { results } = await database.prepare(sql).bind(after, NAMES).all<{ name: string }>();
  const sms = SMS_OUTBOX > after ? [SMS_OUTBOX] : [];
  return [...sms, ...results.map(({ name }) => name)].slice(0, NAMES);
}

const readObjects = route(
  {
    ...shared,
    path: "/staff/backups/objects",
    id: "readBackupObjects",
    summary: "Read the rows of objects",
    body: {
      schema: z.object({
        backup: backupId,
        class: className,
        objects: z.array(z.object({ name: objectName, cursor: z.string().max(8_192).optional() })).max(NAMES),
      }),
    },
    responses: {
      200: {
        description:
          "NDJSON, about 2 MB: a page of each object in the given order, as far as there is room. A page with `next` continues there",
      },
    },
    failures: ["invalid_request", "not_found"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const { backup, class: of, objects } = given.value;
    const known = await admitted(c, backup);
    if (!known.ok) return known;
    const lines: { readonly name: string; readonly page: ObjectPage | null }[] = [];
    let size = 0;
    for (const { name, cursor = null } of objects) {
      if (size >= RESPONSE_SIZE) break;
      const page = (await objectOf(c, of, name)?.exportRows(cursor)) ?? null;
      lines.push({ name, page });
      size += JSON.stringify(page).length;
    }
    return ndjson(lines);
  },
);

export const backupRoutes = [begin, readTable, listNames, readObjects];
