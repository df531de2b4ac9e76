/**
 * Writes the first steps of many domains at once: one statement per table, with its rows as one JSON parameter, so that
 * a batch stays far below D1's limits of statements and parameters. `domain-steps.ts` defines the rows.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { DomainStep } from "../domain/domain.ts";
import { searchTextOf } from "../domain/metadata.ts";
import { columnsOf, plainText } from "./domain-rows.ts";
import { historyColumnsOf } from "./domain-steps.ts";

/** A new domain as rows in JSON, serialised once and measured before they are combined. */
export interface BulkDomain {
  readonly id: string;
  readonly domain: string;
  readonly history: string;
  readonly search: string;
  /** Bytes of the largest of the three. */
  readonly weight: number;
}

/** Bytes of one parameter. D1 accepts 2 MB; a single domain has at most about 0.6 MB. */
const PARAMETER_BYTES = 1_000_000;

export function bulkDomainOf(step: DomainStep): BulkDomain {
  const { name, text } = searchTextOf(step.after);
  const rows = {
    domain: JSON.stringify(columnsOf(step.after)),
    history: JSON.stringify(historyColumnsOf(step)),
    search: JSON.stringify({ id: step.after.id, name: plainText(name), text: plainText(text) }),
  };
  const encoder = new TextEncoder();
  const weights = Object.values(rows).map((row) => encoder.encode(row).byteLength);
  return { id: step.after.id, ...rows, weight: Math.max(...weights) };
}

/** Groups the items in order, as many together as one parameter can contain. */
export function packed<Item extends { readonly bulk: BulkDomain }>(items: readonly Item[]): readonly Item[][] {
  const packs: Item[][] = [];
  let room = 0;
  for (const item of items) {
    if (item.bulk.weight > room) {
      packs.push([]);
      room = PARAMETER_BYTES;
    }
    packs.at(-1)?.push(item);
    room -= item.bulk.weight;
  }
  return packs;
}

/** In the order in which they must run. All domains are new. */
export function bulkStatements(database: Database, domains: readonly BulkDomain[]): Statement[] {
  const list = (member: "domain" | "history" | "search") => `[${domains.map((each) => each[member]).join(",")}]`;
  const ids = JSON.stringify(domains.map(({ id }) => id));
  const [one] = domains;
  if (one === undefined) return [];
  return [
    insertion(database, "domain_history", one.history, list("history")),
    insertion(database, "domains", one.domain, list("domain")),
    database
      .prepare(
        `INSERT INTO domain_controllers (did, created_at, domain_id)
         SELECT controller.value, domains.created_at, domains.id
         FROM json_each(?) AS wanted CROSS JOIN domains ON domains.id = wanted.value
         CROSS JOIN json_each(domains.controllers) AS controller`,
      )
      .bind(ids),
    database
      .prepare(
        `INSERT INTO domain_search (rowid, name, text)
         SELECT domains.number, sent.value ->> '$.name', sent.value ->> '$.text'
         FROM json_each(?) AS sent CROSS JOIN domains ON domains.id = sent.value ->> '$.id'`,
      )
      .bind(list("search")),
    database
      .prepare(
        "INSERT INTO changes (domain_id, version) SELECT value, 1 FROM json_each(?) ORDER BY CAST(key AS INTEGER)",
      )
      .bind(ids),
  ];
}

const member = (name: string) => `value ->> '$.${name}'`;

/** The columns of `domains` and `domain_history` that contain numbers: PostgreSQL does not convert a text to a number implicitly. */
export const NUMBER_COLUMNS: ReadonlySet<string> = new Set([
  "at",
  "content_version",
  "created_at",
  "updated_at",
  "valid_from_ms",
  "valid_until_ms",
  "verified_at",
  "verified_version",
  "version",
  "was_verified",
]);

/** The column names come from our own row. */
function insertion(database: Database, table: string, row: string, rows: string): Statement {
  const names = Object.keys(JSON.parse(row) as object);
  const values = names.map((name) => (NUMBER_COLUMNS.has(name) ? `CAST(${member(name)} AS INTEGER)` : member(name)));
  return database
    .prepare(
      `INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?) ORDER BY CAST(key AS INTEGER)`,
    )
    .bind(rows);
}
