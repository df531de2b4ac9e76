/**
 * Objects that a backup contains: a class with the calls of platform/backup/backup-rpc.ts. A class whose names are known nowhere
 * else is listed in the database as long as its object holds data. workers/index.ts applies it.
 */
import { exportPage, importPage, type RestoredPage } from "../platform/backup/object-page.ts";
import { databaseOf, type DatabaseBindings } from "../platform/database/database-of.ts";
import { createLogger, describeThrown } from "../platform/log.ts";
import { isUserStore } from "../platform/object-names.ts";
import { hasSchema } from "../platform/object-schema.ts";
import { PLUGIN_WORDS_AGAIN, USER_TABLES } from "./user-vault/schema.ts";

interface BackedUpOptions {
  /** Lists the object in `stored_objects`. */
  readonly listed?: {
    readonly className: string;
    /** An object with a row in one of these tables holds data. */
    readonly tables: readonly string[];
    /** Names that are not listed, because their objects contain only counts. */
    readonly isListed: (name: string) => boolean;
  };
  /** Statements that fill full-text indexes after a restore. */
  readonly derived?: readonly string[];
}

export const creditLedgerBackup: BackedUpOptions = {
  listed: { className: "CreditLedger", tables: ["accounts"], isListed: () => true },
};

export const userVaultBackup: BackedUpOptions = {
  listed: { className: "UserVault", tables: USER_TABLES, isListed: isUserStore },
  derived: [PLUGIN_WORDS_AGAIN],
};

/** The members of every Durable Object; they are protected, so no type names them. */
interface ObjectContext {
  readonly ctx: DurableObjectState;
  readonly env: DatabaseBindings;
}

type ObjectClass = abstract new (...parameters: never[]) => object;

/** Milliseconds before a restored object continues its work. */
const ALARM_DELAY_MS = 1_000;
/** Milliseconds that a call waits for the list of objects; it is written in any case. */
const LISTING_WAIT_MS = 1_000;
/** The key that says that the object is listed. */
const LISTED = "backup-listed";

/** The class itself. */
export function backedUp<Class extends ObjectClass>(
  objectClass: Class,
  { listed, derived = [] }: BackedUpOptions,
): Class {
  const prototype = objectClass.prototype as object;
  const instances = new WeakMap<object, string>();
  const instanceOf = (object: object): string => {
    const known = instances.get(object) ?? crypto.randomUUID();
    instances.set(object, known);
    return known;
  };
  if (listed !== undefined) listAfterCalls(prototype, listed);
  const calls = {
    async exportRows(this: ObjectContext, cursor: string | null) {
      return exportPage(this.ctx.storage, instanceOf(this), cursor) ?? null;
    },
    async importRows(this: ObjectContext, page: RestoredPage) {
      const imported = importPage(this.ctx.storage, page, derived);
      if (imported.ok && imported.value) await this.ctx.storage.setAlarm(Date.now() + ALARM_DELAY_MS);
      return imported;
    },
    async restart(this: ObjectContext) {
      await this.ctx.storage.sync();
      this.ctx.abort("restored from a backup");
    },
  };
  for (const [name, value] of Object.entries(calls))
    Object.defineProperty(prototype, name, { configurable: true, value });
  return objectClass;
}

/** Every call, and the alarm, compares the list with the object. */
function listAfterCalls(prototype: object, listed: NonNullable<BackedUpOptions["listed"]>): void {
  const known = new WeakMap<object, boolean>();
  const complete = new WeakSet<object>();
  const names = listed.tables.map((name) => `'${name}'`).join(", ");
  const holdsRow = listed.tables.map((name) => `EXISTS (SELECT 1 FROM ${name})`).join(" OR ");

  /** Undefined while the object has the tables of an earlier release. */
  function holdsData(object: ObjectContext): boolean | undefined {
    const { sql } = object.ctx.storage;
    if (!hasSchema(sql)) return false;
    const found = `SELECT COUNT(*) AS value FROM sqlite_schema WHERE type = 'table' AND name IN (${names})`;
    const isComplete = complete.has(object) || sql.exec<{ value: number }>(found).one().value === listed.tables.length;
    if (!isComplete) return undefined;
    complete.add(object);
    return sql.exec<{ value: number }>(`SELECT ${holdsRow} AS value`).one().value === 1;
  }

  for (const [name, { value, ...rest }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === "constructor" || typeof value !== "function") continue;
    const method = value as (this: unknown, ...parameters: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      ...rest,
      async value(this: ObjectContext, ...parameters: unknown[]): Promise<unknown> {
        const answer = await method.apply(this, parameters);
        const isListed = known.get(this) ?? this.ctx.storage.kv.get(LISTED) === true;
        const holds = holdsData(this) ?? isListed;
        if (holds !== isListed && listed.isListed(this.ctx.id.name ?? "")) {
          // At once, so that calls that arrive meanwhile do not repeat it.
          known.set(this, holds);
          const change = changeList(this, listed.className, holds).catch((thrown: unknown) => {
            known.delete(this);
            const log = createLogger({ surface: "backup", object: listed.className });
            log.error("object-unlisted", { reason: describeThrown(thrown) });
          });
          this.ctx.waitUntil(change);
          await Promise.race([change, new Promise((resolve) => setTimeout(resolve, LISTING_WAIT_MS))]);
        }
        return answer;
      },
    });
  }
}

async function changeList({ ctx, env }: ObjectContext, className: string, isListed: boolean): Promise<void> {
  const sql = isListed
    ? "INSERT INTO stored_objects (class, name) VALUES (?1, ?2) ON CONFLICT (class, name) DO NOTHING"
    : "DELETE FROM stored_objects WHERE class = ?1 AND name = ?2";
  await databaseOf(env).prepare(sql).bind(className, ctx.id.name).run();
  if (isListed) ctx.storage.kv.put(LISTED, true);
  else if (ctx.storage.kv.get(LISTED) !== undefined) ctx.storage.kv.delete(LISTED);
}
