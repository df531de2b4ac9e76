-- Staff of the console (docs/security.md): people, their passkeys, invitations and sessions. Secrets are stored as
-- SHA-256 digests only. Times are Unix milliseconds.

CREATE TABLE staff (
  id          TEXT COLLATE "C" PRIMARY KEY,
  name        TEXT COLLATE "C" NOT NULL,
  role        TEXT COLLATE "C" NOT NULL,
  -- The DID that this person acts as in the registry.
  did         TEXT COLLATE "C" NOT NULL,
  created_at  BIGINT NOT NULL,
  disabled_at BIGINT
);
CREATE UNIQUE INDEX staff_by_did ON staff (did);

CREATE TABLE staff_passkeys (
  credential_id TEXT COLLATE "C" PRIMARY KEY,
  staff_id      TEXT COLLATE "C" NOT NULL REFERENCES staff (id),
  -- The COSE key in base64url.
  public_key    TEXT COLLATE "C" NOT NULL,
  counter       BIGINT NOT NULL,
  transports    TEXT COLLATE "C" NOT NULL,
  created_at    BIGINT NOT NULL,
  last_used_at  BIGINT
);
CREATE INDEX staff_passkeys_by_staff ON staff_passkeys (staff_id, created_at);

-- At most one for each person: a new invitation replaces the previous one.
CREATE TABLE staff_invitations (
  staff_id   TEXT COLLATE "C" PRIMARY KEY REFERENCES staff (id),
  digest     TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX staff_invitations_by_digest ON staff_invitations (digest);

CREATE TABLE staff_sessions (
  digest       TEXT COLLATE "C" PRIMARY KEY,
  id           TEXT COLLATE "C" NOT NULL,
  staff_id     TEXT COLLATE "C" NOT NULL REFERENCES staff (id),
  -- `passkey` or `development`.
  method       TEXT COLLATE "C" NOT NULL,
  -- The browser and its system, such as `Chrome on Linux`.
  device       TEXT COLLATE "C" NOT NULL,
  created_at   BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX staff_sessions_by_id ON staff_sessions (id);
CREATE INDEX staff_sessions_by_staff ON staff_sessions (staff_id, created_at);
CREATE INDEX staff_sessions_by_end ON staff_sessions (expires_at);

-- Challenges that were used for a sign-in, until they expire. Only a valid passkey adds a row.
CREATE TABLE staff_used_challenges (
  digest     TEXT COLLATE "C" PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX staff_used_challenges_by_end ON staff_used_challenges (expires_at);

-- The key that authenticates challenges, so that a request without a passkey writes nothing.
CREATE TABLE staff_challenge_key (
  id    BIGINT PRIMARY KEY CHECK (id = 1),
  value TEXT COLLATE "C" NOT NULL
);
