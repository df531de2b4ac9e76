-- The quotas that keys, their owners and domains have used on a day (docs/storage.md).
CREATE TABLE quota_uses (
  -- `key:<id>`, `owner:<DID>` or `domain:<DID>`.
  subject           TEXT COLLATE "C" NOT NULL,
  -- Days since 1970, in UTC.
  day               BIGINT NOT NULL,
  bytes             BIGINT NOT NULL,
  proposals         BIGINT NOT NULL,
  -- The limit in the writer's configuration; a use beyond it fails here, and its whole batch fails.
  allowed_bytes     BIGINT NOT NULL,
  allowed_proposals BIGINT NOT NULL,
  PRIMARY KEY (subject, day),
  CONSTRAINT quota_bytes CHECK (bytes <= allowed_bytes),
  CONSTRAINT quota_proposals CHECK (proposals <= allowed_proposals)
);
CREATE INDEX quota_uses_by_day ON quota_uses (day);

-- The imports of one DID, newest first.
CREATE INDEX imports_by_creator ON imports (created_by, created_at, id);
