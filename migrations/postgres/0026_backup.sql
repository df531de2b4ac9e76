-- Objects whose names a backup finds nowhere else: each lists itself while it holds data (docs/storage.md).
CREATE TABLE stored_objects (
  class TEXT COLLATE "C" NOT NULL,
  name  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (class, name)
);
-- Objects of earlier releases list themselves with their next call; the database knows some of them already.
INSERT INTO stored_objects (class, name)
  SELECT DISTINCT 'UserVault', user_did FROM user_preferences
  UNION SELECT 'UserVault', payer FROM claims
  UNION SELECT 'CreditLedger', payer FROM claims;

-- The progress of a restore; empty at all other times.
CREATE TABLE restores (
  id           BIGINT PRIMARY KEY CHECK (id = 1),
  backup       TEXT COLLATE "C" NOT NULL,
  -- Parts of objects that are written.
  object_parts BIGINT NOT NULL
);
CREATE TABLE restored_tables (
  name    TEXT COLLATE "C" PRIMARY KEY,
  -- Rows that are written.
  written BIGINT NOT NULL
);
-- Triggers, indexes and constraints that return when all rows are written.
CREATE TABLE restore_parts (
  number  BIGINT PRIMARY KEY,
  restore TEXT COLLATE "C" NOT NULL
);
