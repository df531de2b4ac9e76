-- Users of the oracle whose erasure was requested. `did` is set until the erasure is complete; `subject` is a digest of it.
-- Times in text are RFC 3339, `next_attempt_at` is in Unix milliseconds, and `kept` is JSON.
CREATE TABLE erasures (
  subject         TEXT COLLATE "C" PRIMARY KEY,
  did             TEXT COLLATE "C",
  requested_at    TEXT COLLATE "C" NOT NULL,
  attempts        BIGINT NOT NULL DEFAULT 0,
  next_attempt_at BIGINT NOT NULL DEFAULT 0,
  erased_at       TEXT COLLATE "C",
  kept            TEXT COLLATE "C"
);
CREATE INDEX erasures_due ON erasures (next_attempt_at, subject) WHERE did IS NOT NULL;
