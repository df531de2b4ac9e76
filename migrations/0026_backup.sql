-- Objects whose names a backup finds nowhere else: each lists itself while it holds data (docs/storage.md).
CREATE TABLE stored_objects (
  class TEXT NOT NULL,
  name  TEXT NOT NULL,
  PRIMARY KEY (class, name)
) WITHOUT ROWID;
-- Objects of earlier releases list themselves with their next call; the database knows some of them already.
INSERT INTO stored_objects (class, name)
  SELECT DISTINCT 'UserVault', user_did FROM user_preferences
  UNION SELECT 'UserVault', payer FROM claims
  UNION SELECT 'CreditLedger', payer FROM claims;

-- The progress of a restore; empty at all other times.
CREATE TABLE restores (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  backup       TEXT NOT NULL,
  -- Parts of objects that are written.
  object_parts INTEGER NOT NULL
);
CREATE TABLE restored_tables (
  name    TEXT PRIMARY KEY,
  -- Rows that are written.
  written INTEGER NOT NULL
) WITHOUT ROWID;
-- Triggers, indexes and constraints that return when all rows are written.
CREATE TABLE restore_parts (
  number  INTEGER PRIMARY KEY,
  restore TEXT NOT NULL
);
