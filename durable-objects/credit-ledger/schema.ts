/** The tables of a ledger, described in docs/storage.md. A shipped script is never changed; a new one follows it. */
export const migrations: readonly string[] = [
  // An entry moves credits between the four accounts, so its row sums to zero. `accounts` contains the sums of the
  // columns.
  `
  CREATE TABLE entries (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    granted INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    held INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    CHECK (granted + balance + held + spent = 0)
  );
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    granted INTEGER NOT NULL,
    balance INTEGER NOT NULL CHECK (balance >= 0),
    held INTEGER NOT NULL CHECK (held >= 0),
    spent INTEGER NOT NULL CHECK (spent >= 0),
    reported_at INTEGER NOT NULL
  );
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('held', 'lapsed', 'settled')),
    held INTEGER NOT NULL CHECK (held >= 0),
    entries INTEGER NOT NULL,
    lapses_at INTEGER,
    cost INTEGER,
    charged INTEGER,
    reported_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX runs_lapse ON runs (lapses_at) WHERE lapses_at IS NOT NULL;
  CREATE INDEX runs_reported ON runs (reported_at, charged) WHERE charged > 0;
  `,
  // When a turn was settled. Old turns that are settled and claimed can be removed.
  `
  ALTER TABLE runs ADD COLUMN settled_at INTEGER;
  UPDATE runs SET settled_at = coalesce((SELECT at FROM entries WHERE key = 'settle:' || run_id), unixepoch() * 1000)
    WHERE state = 'settled';
  CREATE INDEX runs_over ON runs (settled_at) WHERE state = 'settled' AND (charged = 0 OR reported_at IS NOT NULL);
  `,
];
