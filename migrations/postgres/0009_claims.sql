-- The costs of turns, claimed from the payer: one claim per run, with an id derived from the run's id.
CREATE TABLE claims (
  id              TEXT COLLATE "C" PRIMARY KEY,
  payer           TEXT COLLATE "C" NOT NULL,
  run_id          TEXT COLLATE "C" NOT NULL,
  amount          BIGINT NOT NULL CHECK (amount >= 0),
  status          TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'submitted', 'settled')),
  created_at      TEXT COLLATE "C" NOT NULL,
  attempts        BIGINT NOT NULL DEFAULT 0,
  next_attempt_at BIGINT NOT NULL DEFAULT 0,
  lease           TEXT COLLATE "C",
  leased_until    BIGINT NOT NULL DEFAULT 0,
  dead_at         TEXT COLLATE "C",
  reason          TEXT COLLATE "C"
);
CREATE INDEX claims_by_payer ON claims (payer, created_at, id);
CREATE INDEX claims_due ON claims (next_attempt_at, id) WHERE status = 'open' AND dead_at IS NULL;
