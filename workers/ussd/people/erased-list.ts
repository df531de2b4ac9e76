/**
 * The suppression list: keyed digests of erased people, which an operator keeps outside of the database and adds again after a
 * restore; then the restored people are found by their digests and erased again.
 */
import type { Database } from "../../../platform/database/database.ts";
import { subjectText, type SubjectKind } from "./erasure-table.ts";
import { requestErasure } from "./erase-person.ts";
import { findPerson, type Person } from "./person.ts";
import type { PeopleSettings } from "./people-settings.ts";

/** Entries of one page and of one request. */
export const LISTED_ENTRIES = 200;
/** Customers or phones that one request compares with the list. */
const COMPARED_ROWS = 200;

export interface ErasedEntry {
  readonly subject: string;
  /** The id of the key of the digest. */
  readonly keyId: string;
  readonly kind: SubjectKind;
  /** Unix milliseconds. */
  readonly erasedAt: number;
}

export interface ErasedPage {
  readonly erased: readonly ErasedEntry[];
  /** The `after` of the next page. */
  readonly next: string | null;
}

export async function listErased({ database }: PeopleSettings, after: string): Promise<ErasedPage> {
  const { results } = await database
    .prepare(
      `SELECT subject, key_id AS keyId, kind, coalesce(erased_at, requested_at) AS erasedAt FROM phone_erasures
       WHERE subject > ?1 ORDER BY subject LIMIT ?2`,
    )
    .bind(after, LISTED_ENTRIES)
    .all<ErasedEntry>();
  return { erased: results, next: results.length < LISTED_ENTRIES ? null : (results.at(-1)?.subject ?? null) };
}

/** Adds entries that the database does not have. Returns the ids of keys that this deployment does not have. */
export async function addErased(
  { database, ring }: PeopleSettings,
  entries: readonly ErasedEntry[],
): Promise<readonly string[]> {
  const insert = database.prepare(
    `INSERT INTO phone_erasures (subject, key_id, kind, requested_at, erased_at) VALUES (?1, ?2, ?3, ?4, ?4)
     ON CONFLICT (subject) DO NOTHING`,
  );
  if (entries.length > 0)
    await database.batch(
      entries.map(({ subject, keyId, kind, erasedAt }) => insert.bind(subject, keyId, kind, erasedAt)),
    );
  const ids = [...new Set(entries.map(({ keyId }) => keyId))];
  const known = await Promise.all(ids.map((id) => ring.macUnder(id, "erased", "")));
  return ids.filter((_, index) => known[index] === undefined);
}

export interface Reapplied {
  readonly examined: number;
  /** People whose erasure is noted again; the schedule erases them. */
  readonly found: number;
  /** The `after` of the next request; null at the end. */
  readonly next: string | null;
}

interface Candidate {
  readonly number: number;
  readonly name: string;
  /** When the row was made: a person who came back after the erasure stays. */
  readonly since: number;
}

const walks: Readonly<Record<SubjectKind, string>> = {
  customer: `SELECT id AS number, customer_id AS name, created_at AS since FROM customers WHERE id > ?1 ORDER BY id LIMIT ?2`,
  phone: `SELECT id AS number, phone_e164 AS name, first_seen AS since FROM phones WHERE id > ?1 ORDER BY id LIMIT ?2`,
};

/** Compares one page of customers, and after them of phones. */
export async function reapplyErased(settings: PeopleSettings, after: string): Promise<Reapplied> {
  const [, kind, number] = /^(customer|phone):(\d{1,15})$/.exec(after) ?? ["", "customer", "0"];
  return comparePage(settings, kind as SubjectKind, Number(number));
}

async function comparePage(settings: PeopleSettings, kind: SubjectKind, after: number): Promise<Reapplied> {
  const { database, ring } = settings;
  const { results: rows } = await database.prepare(walks[kind]).bind(after, COMPARED_ROWS).all<Candidate>();
  const digests = await Promise.all(rows.map(({ name }) => ring.macs("erased", subjectText(kind, name))));
  const erasedAt = await erasedTimes(database, digests.flat());
  const isErased = ({ since }: Candidate, index: number): boolean =>
    (digests[index] ?? []).some((digest) => since <= (erasedAt.get(digest) ?? Number.NEGATIVE_INFINITY));
  let found = 0;
  for (const row of rows.filter(isErased)) {
    const person = await personOf(settings, kind, row.name);
    if (person === undefined) continue;
    await requestErasure(settings, person, false);
    found += 1;
  }
  const last = rows.at(-1);
  const isOver = last === undefined || rows.length < COMPARED_ROWS;
  const next = isOver ? (kind === "customer" ? "phone:0" : null) : `${kind}:${last.number}`;
  return { examined: rows.length, found, next };
}

async function erasedTimes(database: Database, digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { results } = await database
    .prepare(
      `SELECT subject, erased_at AS erasedAt FROM phone_erasures
       WHERE person IS NULL AND subject IN (SELECT value FROM json_each(?1))`,
    )
    .bind(JSON.stringify(digests))
    .all<{ subject: string; erasedAt: number }>();
  return new Map(results.map(({ subject, erasedAt }) => [subject, erasedAt]));
}

async function personOf(settings: PeopleSettings, kind: SubjectKind, name: string): Promise<Person | undefined> {
  if (kind === "phone") return { customerId: null, keyDid: null, phoneNumbers: [name], loginPhones: [] };
  const found = await findPerson(settings, { customerId: name });
  return found.ok ? found.value : undefined;
}
