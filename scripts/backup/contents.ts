/** What a backup contains, in the order in which it is read and restored. */
import * as z from "zod";
import { backedUpClasses, type BackedUpClass } from "../../shared/backup-classes.ts";
import type { Row, Table } from "../../shared/tables/table.ts";

/** Tables that only grow, by a number: a later backup reads only their new rows. */
const growing = new Set(["audit_rows", "audit_seals", "changes"]);

export function onlyGrows(table: string): boolean {
  return growing.has(table);
}

/** Classes whose names the server lists. The chat sessions of a user follow the user's object. */
export const listedClasses: readonly BackedUpClass[] = ["CreditLedger", "UserVault", "Outbox"];

/** Domains whose DID documents are compared after a restore. */
const SAMPLED = 20;

/** Paths of public answers that a restored installation repeats: the oracle's DID, and DID documents of the first domains. */
export function publicPaths(domains: Table | undefined, rows: readonly Row[]): readonly string[] {
  const column = domains?.columns.findIndex(({ name }) => name === "id") ?? -1;
  const ids = rows.slice(0, SAMPLED).flatMap((row) => row[column] ?? []);
  return ["/.well-known/did.json", ...ids.map((id) => `/1.0/identifiers/${encodeURIComponent(id)}`)];
}

const value = z.union([z.string(), z.null()]);
export const rowSchema: z.ZodType<Row> = z.array(value);

export const tableSchema = z.object({
  name: z.string(),
  columns: z.array(z.object({ name: z.string(), kind: z.enum(["integer", "text", "bytes"]) })),
  keyLength: z.number(),
});

const pageMembers = {
  page: z.number(),
  schema: z.array(z.string()),
  numbers: z.array(z.tuple([z.string(), z.string()])),
  tables: z.array(tableSchema),
  rows: z.array(z.tuple([z.number()], value)),
};

/** As the server sends it. */
export const sentPage = z.object({
  name: z.string(),
  page: z.object({ ...pageMembers, next: z.string().nullable(), mark: z.string() }).nullable(),
});

/** As a part stores it. */
export const storedPage = z.object({
  class: z.enum(backedUpClasses),
  name: z.string(),
  attempt: z.number(),
  isLast: z.boolean(),
  ...pageMembers,
});

export type StoredPage = z.output<typeof storedPage>;

/** The chat sessions that a page of a user's object lists. */
export function sessionsIn({ tables, rows }: Pick<StoredPage, "tables" | "rows">): readonly string[] {
  const table = tables.findIndex(({ name }) => name === "sessions");
  const column = tables[table]?.columns.findIndex(({ name }) => name === "session_id") ?? -1;
  if (column < 0) return [];
  return rows.flatMap(([at, ...values]) => (at === table ? [values[column] ?? ""] : []));
}
