-- Staff of the console (docs/security.md): people, their passkeys, invitations and sessions. Secrets are stored as
-- SHA-256 digests only. Times are Unix milliseconds.

CREATE TABLE staff (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  role        TEXT NOT NULL,
  -- The DID that this person acts as in the registry.
  did         TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  disabled_at INTEGER
);
CREATE UNIQUE INDEX staff_by_did ON staff (did);

CREATE TABLE staff_passkeys (
  credential_id TEXT PRIMARY KEY,
  staff_id      TEXT NOT NULL REFERENCES staff (id),
  -- The COSE key in base64url.
  public_key    TEXT NOT NULL,
  counter       INTEGER NOT NULL,
  transports    TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER
);
CREATE INDEX staff_passkeys_by_staff ON staff_passkeys (staff_id, created_at);

-- At most one for each person: a new invitation replaces the previous one.
CREATE TABLE staff_invitations (
  staff_id   TEXT PRIMARY KEY REFERENCES staff (id),
  digest     TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX staff_invitations_by_digest ON staff_invitations (digest);

CREATE TABLE staff_sessions (
  digest       TEXT PRIMARY KEY,
  id           TEXT NOT NULL,
  staff_id     TEXT NOT NULL REFERENCES staff (id),
  -- `passkey` or `development`.
  method       TEXT NOT NULL,
  -- The browser and its system, such as `Chrome on Linux`.
  device       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
);
CREATE UNIQUE INDEX staff_sessions_by_id ON staff_sessions (id);
CREATE INDEX staff_sessions_by_staff ON staff_sessions (staff_id, created_at);
CREATE INDEX staff_sessions_by_end ON staff_sessions (expires_at);

-- Challenges that were used for a sign-in, until they expire. Only a valid passkey adds a row.
CREATE TABLE staff_used_challenges (
  digest     TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
);
CREATE INDEX staff_used_challenges_by_end ON staff_used_challenges (expires_at);

-- The key that authenticates challenges, so that a request without a passkey writes nothing.
CREATE TABLE staff_challenge_key (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  value TEXT NOT NULL
);
