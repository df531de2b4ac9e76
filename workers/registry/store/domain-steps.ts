/**
 * Writes a version step of a domain: its row, controllers, search text, history entry and position in the change feed,
 * all in the batch of the effect. The key of the history row is the lock.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { DomainStep } from "../domain/domain.ts";
import { sameJson } from "../domain/json-values.ts";
import { searchTextOf } from "../domain/metadata.ts";
import { changesBetween } from "../domain/representation.ts";
import { millisecondsOf } from "../domain/time.ts";
import { columnsOf, type ColumnValue, plainText } from "./domain-rows.ts";
import { differenceOf } from "./version-chain.ts";

/** In the order in which they must run. A batch can contain several steps of one domain, the earlier one first. */
export function stepStatements(database: Database, step: DomainStep): Statement[] {
  // The lock comes first, so that a writer who is too late does no other work.
  return [
    ...historyStatements(database, step),
    ...(step.before === undefined ? insertions(database, step) : updates(database, step)),
    database.prepare("INSERT INTO changes (domain_id, version) VALUES (?, ?)").bind(step.after.id, step.after.version),
  ];
}

function historyStatements(database: Database, step: DomainStep): Statement[] {
  const changes = changesOf(step);
  const difference = differenceOf(step, changes);
  const own = insertion(database, "domain_history", historyColumnsOf(step, changes, difference));
  const { snapshotBefore } = difference;
  if (snapshotBefore === undefined) return [own];
  return [
    own,
    database
      .prepare("UPDATE domain_history SET snapshot = ?3 WHERE domain_id = ?1 AND version = ?2")
      .bind(step.after.id, step.after.version - 1, snapshotBefore),
  ];
}

/** The changes of the first entry are its whole record, and readers derive them. */
function changesOf({ before, after }: DomainStep): string {
  return JSON.stringify(before === undefined ? [] : changesBetween(before, after));
}

/** The entry's time is the record's `updatedAt`, from which the version is rebuilt. */
export function historyColumnsOf(
  step: DomainStep,
  changes = changesOf(step),
  difference = differenceOf(step, changes),
): Readonly<Record<string, ColumnValue>> {
  const { after, action, actor, reason, proposalId } = step;
  return {
    domain_id: after.id,
    version: after.version,
    version_id: after.versionId,
    at: millisecondsOf(after.updatedAt),
    actor,
    action,
    changes,
    reason: reason ?? null,
    proposal_id: proposalId ?? null,
    snapshot: difference.snapshot,
    undo: difference.undo,
  };
}

function insertions(database: Database, { after }: DomainStep): Statement[] {
  const { name, text } = searchTextOf(after);
  return [
    insertion(database, "domains", columnsOf(after)),
    controllersStatement(database, after.id),
    database
      .prepare("INSERT INTO domain_search (rowid, name, text) SELECT number, ?2, ?3 FROM domains WHERE id = ?1")
      .bind(after.id, plainText(name), plainText(text)),
  ];
}

function updates(database: Database, { before, after }: DomainStep): Statement[] {
  if (before === undefined) return [];
  const old = columnsOf(before);
  const changed = Object.entries(columnsOf(after)).filter(([name, value]) => old[name] !== value);
  const assignments = changed.map(([name], at) => `${name} = ?${at + 3}`).join(", ");
  const statements = [
    database
      .prepare(`UPDATE domains SET ${assignments} WHERE id = ?1 AND version = ?2`)
      .bind(after.id, before.version, ...changed.map(([, value]) => value)),
  ];
  if (!sameJson(before.controllers, after.controllers)) {
    statements.push(
      database
        .prepare("DELETE FROM domain_controllers WHERE domain_id = ?1 AND did IN (SELECT value FROM json_each(?2))")
        .bind(after.id, JSON.stringify(before.controllers)),
      controllersStatement(database, after.id),
    );
  }
  const { name, text } = searchTextOf(after);
  if (!sameJson(searchTextOf(before), { name, text })) {
    statements.push(
      database
        .prepare(
          "UPDATE domain_search SET name = ?2, text = ?3 WHERE rowid = (SELECT number FROM domains WHERE id = ?1)",
        )
        .bind(after.id, plainText(name), plainText(text)),
    );
  }
  return statements;
}

/** Copies the controllers from the row that was just written. */
function controllersStatement(database: Database, id: string): Statement {
  return database
    .prepare(
      `INSERT INTO domain_controllers (did, created_at, domain_id)
       SELECT controller.value, domains.created_at, domains.id FROM domains, json_each(domains.controllers) AS controller
       WHERE domains.id = ?`,
    )
    .bind(id);
}

function insertion(database: Database, table: string, columns: Readonly<Record<string, ColumnValue>>) {
  const names = Object.keys(columns);
  return database
    .prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .bind(...Object.values(columns));
}
