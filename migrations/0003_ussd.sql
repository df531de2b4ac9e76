-- The phone-session gateway. Times are Unix milliseconds. `*_key` columns contain an HMAC, so that they reveal neither
-- phones nor sessions; next to each sealed column is the id of the key that sealed it.
CREATE TABLE phones (
  id         INTEGER PRIMARY KEY,
  phone_e164 TEXT NOT NULL UNIQUE,
  language   TEXT CHECK (language IN ('en', 'sw', 'fr', 'pt')),
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  visits     INTEGER NOT NULL,
  -- The dial that was counted last: a repeated dial is one visit.
  last_visit TEXT
);

CREATE TABLE customers (
  id                 INTEGER PRIMARY KEY,
  customer_id        TEXT NOT NULL UNIQUE,
  full_name          TEXT NOT NULL,
  email              TEXT,
  language           TEXT CHECK (language IN ('en', 'sw', 'fr', 'pt')),
  -- Linked by an operator; key_did is the customer's own, generated here.
  did                TEXT UNIQUE,
  key_did            TEXT UNIQUE,
  key_sealed         TEXT,
  key_sealed_by      TEXT,
  pin_sealed         TEXT,
  pin_key_id         TEXT,
  -- The last completed change of PIN: a repeated change has no further effect.
  pin_change_key     TEXT,
  must_change_pin    INTEGER NOT NULL DEFAULT 0 CHECK (must_change_pin IN (0, 1)),
  temp_pin_expires_at INTEGER,
  failed_attempts    INTEGER NOT NULL DEFAULT 0,
  locked_until       INTEGER,
  lock_level         INTEGER NOT NULL DEFAULT 0,
  attempted_at       INTEGER NOT NULL DEFAULT 0,
  -- Incremented to end live logins.
  login_epoch        INTEGER NOT NULL DEFAULT 0,
  creation_key       TEXT NOT NULL UNIQUE,
  last_login_at      INTEGER,
  created_at         INTEGER NOT NULL,
  updated_at         INTEGER NOT NULL,
  CHECK ((pin_sealed IS NULL) = (pin_key_id IS NULL)),
  CHECK ((key_sealed IS NULL) = (key_did IS NULL) AND (key_sealed IS NULL) = (key_sealed_by IS NULL))
);
-- The remaining work of a key rotation.
CREATE INDEX customers_by_pin_key ON customers (pin_key_id, id);
CREATE INDEX customers_by_identity_key ON customers (key_sealed_by, id);

CREATE TABLE customer_phones (
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  phone_id    INTEGER NOT NULL REFERENCES phones (id),
  is_primary  INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
  PRIMARY KEY (customer_id, phone_id)
) WITHOUT ROWID;
CREATE INDEX customer_phones_by_phone ON customer_phones (phone_id);

-- Attempts on unknown customer ids, so that these behave like known ones.
CREATE TABLE login_guard (
  subject_key     TEXT PRIMARY KEY,
  failed_attempts INTEGER NOT NULL,
  locked_until    INTEGER,
  lock_level      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX login_guard_by_time ON login_guard (updated_at);

-- An index over the session objects, which are authoritative.
CREATE TABLE ussd_sessions (
  session_id    TEXT PRIMARY KEY,
  phone_key     TEXT NOT NULL,
  service_code  TEXT NOT NULL,
  state         TEXT NOT NULL,
  authenticated INTEGER NOT NULL CHECK (authenticated IN (0, 1)),
  -- Grows with each step; a late write of an earlier step changes nothing.
  revision      INTEGER NOT NULL,
  started_at    INTEGER NOT NULL,
  last_activity INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  resume_until  INTEGER,
  ended_at      INTEGER
) WITHOUT ROWID;
CREATE INDEX ussd_sessions_active ON ussd_sessions (ended_at, expires_at);
CREATE INDEX ussd_sessions_resumable ON ussd_sessions (phone_key, service_code, resume_until);

CREATE TABLE audit_log (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  at          INTEGER NOT NULL,
  event       TEXT NOT NULL,
  customer_id TEXT,
  phone_key   TEXT,
  session_key TEXT,
  -- Contains no secret and no phone number.
  detail      TEXT NOT NULL CHECK (json_valid(detail))
);
CREATE INDEX audit_log_by_customer ON audit_log (customer_id, at);

-- Questions to the oracle, for the daily limit; one row per job, so that a repeated job is one question.
CREATE TABLE ussd_questions (
  job_id      TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL,
  asked_at    INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX ussd_questions_by_customer ON ussd_questions (customer_id, asked_at);

-- Funnel counters without personal data; `day` is a date in UTC.
CREATE TABLE ussd_stats (
  day      TEXT NOT NULL,
  screen   TEXT NOT NULL,
  language TEXT NOT NULL,
  shown    INTEGER NOT NULL DEFAULT 0,
  refused  INTEGER NOT NULL DEFAULT 0,
  ended    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, screen, language)
) WITHOUT ROWID;

-- Counters besides screens: sessions, steps, endings, milestones, buckets of reply times.
CREATE TABLE ussd_counters (
  day     TEXT NOT NULL,
  counter TEXT NOT NULL,
  value   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, counter)
) WITHOUT ROWID;
