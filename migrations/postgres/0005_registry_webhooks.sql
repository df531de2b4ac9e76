-- Webhooks of the domain registry (Standard Webhooks). Times are Unix milliseconds.

-- Receivers of changes. Signing secrets, and each receiver's position in the feed, are in its Outbox object.
CREATE TABLE webhooks (
  id              TEXT COLLATE "C" PRIMARY KEY,
  url             TEXT COLLATE "C" NOT NULL,
  description     TEXT COLLATE "C",
  -- Names of actions; an empty list means all.
  actions         TEXT COLLATE "C" NOT NULL CHECK (json_valid(actions)),
  enabled         BIGINT NOT NULL,
  disabled_reason TEXT COLLATE "C" CHECK (disabled_reason IN ('operator', 'gone', 'failing', 'host-not-allowed')),
  disabled_at     BIGINT,
  created_by      TEXT COLLATE "C" NOT NULL,
  created_at      BIGINT NOT NULL,
  updated_at      BIGINT NOT NULL
);
