/** A D1 database on SQLite, with its time travel: the statements of the log, replayed up to a minute. */
import { DatabaseSync } from "node:sqlite";

/** Days. */
const KEPT = 30;
const DAY = 86_400_000;

interface Executed {
  readonly at: number;
  readonly sql: string;
}

export class D1Store {
  readonly uuid: string;
  readonly name: string;
  readonly createdAt = new Date().toISOString();
  #sqlite = new DatabaseSync(":memory:");
  #log: Executed[] = [];

  constructor(uuid: string, name: string) {
    this.uuid = uuid;
    this.name = name;
  }

  /** The rows of a query; none of a script. @throws an error of SQLite. */
  run(sql: string): readonly unknown[] {
    if (/^\s*(select|pragma)\b/i.test(sql)) return this.#sqlite.prepare(sql).all();
    this.#sqlite.exec(sql);
    this.#log.push({ at: Date.now(), sql });
    return [];
  }

  tables(): readonly string[] {
    const rows = this.run("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") as { name: string }[];
    return rows.map(({ name }) => name);
  }

  /** Undefined outside the kept days. */
  bookmarkAt(time: number): string | undefined {
    const age = Date.now() - time;
    return age < 0 || age > KEPT * DAY ? undefined : `bookmark-${time}`;
  }

  restore(bookmark: string): string {
    const previous = `bookmark-${Date.now()}`;
    const until = Number(bookmark.replace("bookmark-", ""));
    const kept = this.#log.filter(({ at }) => at <= until);
    this.#sqlite.close();
    this.#sqlite = new DatabaseSync(":memory:");
    for (const { sql } of kept) this.#sqlite.exec(sql);
    this.#log = kept;
    return previous;
  }

  close(): void {
    this.#sqlite.close();
  }
}
