-- The costs of turns, claimed from the payer: one claim per run, with an id derived from the run's id.
CREATE TABLE claims (
  id              TEXT PRIMARY KEY,
  payer           TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  amount          INTEGER NOT NULL CHECK (amount >= 0),
  status          TEXT NOT NULL CHECK (status IN ('open', 'submitted', 'settled')),
  created_at      TEXT NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  lease           TEXT,
  leased_until    INTEGER NOT NULL DEFAULT 0,
  dead_at         TEXT,
  reason          TEXT
) WITHOUT ROWID;
CREATE INDEX claims_by_payer ON claims (payer, created_at, id);
CREATE INDEX claims_due ON claims (next_attempt_at, id) WHERE status = 'open' AND dead_at IS NULL;
