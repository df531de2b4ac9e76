-- Bulk imports of the domain registry (workers/registry/store/import-store.ts). Times are Unix milliseconds.

CREATE TABLE imports (
  -- Chosen by the client, so that it can continue after an interruption.
  id         TEXT COLLATE "C" PRIMARY KEY,
  created_by TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX imports_by_creation ON imports (created_at, id);

-- One row for each line that became a domain, written in the batch of the domain: its key is the lock between two
-- requests with one line. A failed line has no row and can be sent again.
CREATE TABLE import_lines (
  import_id   TEXT COLLATE "C" NOT NULL,
  line        BIGINT NOT NULL,
  domain_id   TEXT COLLATE "C" NOT NULL,
  -- SHA-256 of the line, in hexadecimal: another text under this number is refused.
  fingerprint TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (import_id, line)
);
