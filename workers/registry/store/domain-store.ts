/** Reads a domain by its id as it is stored; `settled-domain.ts` adds what is due. */
import type { DomainRecord } from "../domain/domain.ts";
import { domainColumns, recordOf, type DomainRow } from "./domain-rows.ts";

export async function readDomain(database: D1Database, id: string): Promise<DomainRecord | undefined> {
  const row = await database.prepare(`SELECT ${domainColumns} FROM domains WHERE id = ?`).bind(id).first<DomainRow>();
  return row === null ? undefined : recordOf(row);
}
