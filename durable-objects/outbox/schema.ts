/** The tables of an Outbox, described in docs/storage.md. A shipped script is never changed; a new one follows it. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cursor INTEGER NOT NULL,
    dead_in_a_row INTEGER NOT NULL
  );
  CREATE TABLE deliveries (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    topic TEXT NOT NULL,
    body TEXT NOT NULL,
    ordered INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    attempts_allowed INTEGER NOT NULL,
    taken_at INTEGER NOT NULL,
    next_attempt_at INTEGER,
    ended_at INTEGER,
    last_status INTEGER,
    last_reason TEXT
  );
  CREATE INDEX deliveries_due ON deliveries (ordered, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX deliveries_by_state ON deliveries (state, position);
  CREATE TABLE signing_secrets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    secret TEXT NOT NULL,
    expires_at INTEGER
  );
  `,
];
