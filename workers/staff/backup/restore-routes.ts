/** Writes a backup into an empty installation. Every request can be repeated. */
import * as z from "zod";
import { newFailure } from "../../../platform/failure.ts";
import { reply } from "../../../platform/http/route.ts";
import { failure } from "../../../platform/result.ts";
import { describeThrown } from "../../../platform/log.ts";
import { route } from "../edge.ts";
import { tablesOf } from "./database-tables.ts";
import { beginRestore, endRestore, noteObjectPart, requireRestore, restoreRows } from "./restore-state.ts";
import { auditOf, backupId, className, objectName, objectOf, row, shared, table } from "./shared.ts";

/** Bytes of a request with rows. */
const BODY_BYTES = 16 * 1024 * 1024;
const ROWS = 500;
const PAGES = 50;

const begin = route(
  {
    ...shared,
    path: "/staff/restores",
    id: "beginRestore",
    summary: "Begin a restore into an empty installation, or continue it",
    body: { schema: z.object({ backup: backupId, tables: z.array(table).max(1_000) }), limit: BODY_BYTES },
    responses: { 200: { description: "How far the restore is" } },
    failures: ["invalid_request", "conflict"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const begun = await beginRestore(tablesOf(c.env.env), given.value.backup, given.value.tables);
    return begun.ok ? reply(begun.value) : begun;
  },
);

const writeRows = route(
  {
    ...shared,
    path: "/staff/restores/rows",
    id: "restoreRows",
    summary: "Write rows of a table",
    body: {
      schema: z.object({ backup: backupId, table, from: z.number().int().min(0), rows: z.array(row).min(1).max(ROWS) }),
      limit: BODY_BYTES,
    },
    responses: { 200: { description: "The number of rows of the table that are written" } },
    failures: ["invalid_request", "conflict", "not_found"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const { backup, table: described, from, rows } = given.value;
    const database = tablesOf(c.env.env);
    const known = await requireRestore(database, backup);
    if (!known.ok) return known;
    const own = (await database.engine.tables(database.runner)).find(({ name }) => name === described.name);
    if (own === undefined) return failure(newFailure("not_found", `The database has no table ${described.name}`));
    // The names of columns come from the database, never from a request.
    const places = own.columns.map((column) => described.columns.findIndex(({ name }) => name === column.name));
    const ordered = rows.map((each) => places.map((place) => each[place] ?? null));
    const written = await restoreRows(database, own, { from, rows: ordered });
    return written.ok ? reply({ written: written.value }) : written;
  },
);

const page = z.object({
  name: objectName,
  attempt: z.number().int().min(0),
  page: z.number().int().min(0),
  isLast: z.boolean(),
  schema: z.array(z.string()),
  numbers: z.array(z.tuple([z.string(), z.string()])),
  tables: z.array(table),
  rows: z.array(z.tuple([z.number().int().min(0)], z.union([z.string(), z.null()]))),
});

const writeObjects = route(
  {
    ...shared,
    path: "/staff/restores/objects",
    id: "restoreObjects",
    summary: "Write pages of objects",
    description: "`part` is the number of object parts that are complete with this request.",
    body: {
      schema: z.object({
        backup: backupId,
        class: className,
        pages: z.array(page).max(PAGES),
        part: z.number().int().min(0).optional(),
      }),
      limit: BODY_BYTES,
    },
    responses: { 200: { description: "All pages are written" } },
    failures: ["invalid_request", "conflict"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const { backup, class: of, pages, part } = given.value;
    const database = tablesOf(c.env.env);
    const known = await requireRestore(database, backup);
    if (!known.ok) return known;
    for (const { name, ...rows } of pages) {
      const object = objectOf(c, of, name);
      if (object === undefined) return failure(newFailure("conflict", `This deployment has no objects of ${of}`));
      const written = await object.importRows({ ...rows, backup });
      if (!written.ok)
        return failure(newFailure("conflict", `An object of ${of} cannot be restored: ${written.error}`));
      // The call fails with the instance that it ends.
      if (written.value)
        await object.restart().catch((thrown: unknown) => {
          c.env.log.info("object-restarted", { class: of, reason: describeThrown(thrown) });
        });
    }
    if (part !== undefined) await noteObjectPart(database, part);
    return reply({});
  },
);

const finish = route(
  {
    ...shared,
    path: "/staff/restores/end",
    id: "endRestore",
    summary: "End a restore",
    description: "Triggers, indexes and constraints return, and the schedule starts again. The audit log records it.",
    body: {
      schema: z.object({ backup: backupId, numbers: z.record(z.string().max(100), z.string().regex(/^\d{1,19}$/)) }),
    },
    responses: { 200: { description: "The restore is over" } },
    failures: ["invalid_request", "conflict"],
  },
  async ({ body }, c) => {
    const given = await body();
    if (!given.ok) return given;
    const { backup, numbers } = given.value;
    const database = tablesOf(c.env.env);
    const known = await requireRestore(database, backup);
    if (!known.ok) return known;
    const ended = await endRestore(database, numbers);
    if (!ended.ok) return ended;
    const audit = auditOf(c, backup);
    await audit.writeNow();
    c.executionCtx.waitUntil(audit.finish(200, undefined, c.env.log));
    return reply({});
  },
);

export const restoreRoutes = [begin, writeRows, writeObjects, finish];
