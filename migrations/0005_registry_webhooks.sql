-- Webhooks of the domain registry (Standard Webhooks). Times are Unix milliseconds.

-- Receivers of changes. Signing secrets, and each receiver's position in the feed, are in its Outbox object.
CREATE TABLE webhooks (
  id              TEXT PRIMARY KEY,
  url             TEXT NOT NULL,
  description     TEXT,
  -- Names of actions; an empty list means all.
  actions         TEXT NOT NULL CHECK (json_valid(actions)),
  enabled         INTEGER NOT NULL,
  disabled_reason TEXT CHECK (disabled_reason IN ('operator', 'gone', 'failing', 'host-not-allowed')),
  disabled_at     INTEGER,
  created_by      TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
);
