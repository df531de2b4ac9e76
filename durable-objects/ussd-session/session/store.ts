/**
 * Stores a session's record in one row, so that a step is one read and one write. The alarm and the index of sessions
 * are updated after each write; a failed write to the index is retried by the alarm and never shown to the caller.
 */
import { hasSchema, migrate, type ObjectStorage } from "../../../platform/object-schema.ts";
import type { AccountsPort } from "../ports.ts";
import { asIndexed, indexEntry, isIndexStale, nextAlarm, readStoredRecord, type SessionRecord } from "./record.ts";

/** Milliseconds before a failed write to the index is retried. */
const INDEX_RETRY_MS = 5_000;

const migrations: readonly string[] = [
  `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    record TEXT NOT NULL
  );
  `,
];

export interface StoreDependencies {
  readonly storage: ObjectStorage;
  readonly accounts: Pick<AccountsPort, "saveSession">;
  /** Empties the storage and cancels the alarm. */
  erase(): Promise<void>;
  /** Unix milliseconds. */
  clock(): number;
  /** Sets the alarm to this time, in Unix milliseconds, unless it is already set to an earlier one. */
  wake(at: number): void;
  background(work: Promise<unknown>): void;
  /** Runs the work between two steps. */
  inTurn(work: () => void): Promise<unknown>;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(dependencies: StoreDependencies) {
  const { storage, accounts, clock, wake, background, inTurn } = dependencies;
  let ready = false;
  /** Of this instance of the object; undefined before the first read. */
  let known: { readonly record: SessionRecord | undefined } | undefined;
  /** The record that waits for the index: the newest record wins. */
  let waiting: SessionRecord | undefined;
  let saving: Promise<void> | undefined;

  function prepare(): void {
    if (!ready) migrate(storage, migrations);
    ready = true;
  }

  function load(): SessionRecord | undefined {
    if (!ready && !hasSchema(storage.sql)) return undefined;
    prepare();
    const row = storage.sql.exec<{ record: string }>("SELECT record FROM session WHERE id = 1").toArray()[0];
    return row && readStoredRecord(row.record);
  }

  /** Undefined for an unused object; reading leaves no trace. */
  function read(): SessionRecord | undefined {
    known ??= { record: load() };
    return known.record;
  }

  function put(record: SessionRecord): void {
    prepare();
    storage.sql.exec(
      "INSERT INTO session (id, record) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
      JSON.stringify(record),
    );
    known = { record };
  }

  function index(record: SessionRecord): void {
    waiting = record;
    if (saving !== undefined) return;
    saving = saveAll();
    background(saving);
  }

  async function saveAll(): Promise<void> {
    while (waiting !== undefined) {
      const record = waiting;
      waiting = undefined;
      const saved = await accounts.saveSession(indexEntry(record));
      // Between two steps: a step that has already read the record would overwrite this.
      if (!saved.ok && waiting === undefined) background(inTurn(indexFailed));
    }
    saving = undefined;
  }

  function indexFailed(): void {
    const record = read();
    if (record === undefined || record.status === "opening") return;
    put({ ...record, indexed: null });
    wake(clock() + INDEX_RETRY_MS);
  }

  return {
    read,
    /** A new session, which the index does not contain yet. */
    begin(record: SessionRecord): void {
      put(record);
      wake(nextAlarm(record));
    },
    /** The next revision, as stored. */
    write(changed: SessionRecord): SessionRecord {
      const next = { ...changed, revision: changed.revision + 1 };
      const isStale = isIndexStale(next);
      const record = isStale ? asIndexed(next) : next;
      put(record);
      wake(nextAlarm(record));
      if (isStale) index(record);
      return record;
    },
    /** Retries a failed write to the index; returns when the alarm must check again. */
    retryIndex(record: SessionRecord): number | undefined {
      if (record.indexed !== null || record.status === "opening") return undefined;
      put(asIndexed(record));
      index(record);
      return Math.min(nextAlarm(record), clock() + INDEX_RETRY_MS);
    },
    /** Resolves when no write to the index is pending. */
    indexed: (): Promise<void> => saving ?? Promise.resolve(),
    async erase(): Promise<void> {
      await dependencies.erase();
      ready = false;
      known = undefined;
    },
  };
}
