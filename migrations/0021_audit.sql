-- The audit log (docs/security.md). Rows are only ever added. A number up to `last` without a row means that a row was
-- removed. Times are Unix milliseconds.

-- The last number that a row has. It is in one row, so that two writers never take the same number.
CREATE TABLE audit_numbers (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  last INTEGER NOT NULL
);

CREATE TABLE audit_rows (
  seq        INTEGER PRIMARY KEY,
  -- Joins the rows of one act.
  act        TEXT NOT NULL,
  -- `begun`, written with the act's first change, or `done`, written after its response.
  phase      TEXT NOT NULL,
  at         INTEGER NOT NULL,
  -- The id of a member of staff or of an API key, `operator` or `phone-operator`.
  actor      TEXT NOT NULL,
  -- The network of the request: an IPv4 address or an IPv6 /64.
  network    TEXT NOT NULL,
  -- The id of the operation in the OpenAPI documents.
  operation  TEXT NOT NULL,
  subject    TEXT,
  request_id TEXT NOT NULL,
  -- The status of the response; NULL for `begun`.
  status     INTEGER,
  -- JSON: what was changed, before and after.
  change     TEXT
);
CREATE INDEX audit_rows_by_act ON audit_rows (act, phase);
CREATE INDEX audit_rows_by_actor ON audit_rows (actor, seq);
CREATE INDEX audit_rows_by_subject ON audit_rows (subject, seq);
CREATE INDEX audit_rows_by_operation ON audit_rows (operation, seq);
CREATE INDEX audit_rows_by_request ON audit_rows (request_id, seq);
CREATE TRIGGER audit_rows_stay BEFORE UPDATE ON audit_rows BEGIN
  SELECT RAISE(ABORT, 'rows of the audit log are never changed');
END;
CREATE TRIGGER audit_rows_kept BEFORE DELETE ON audit_rows BEGIN
  SELECT RAISE(ABORT, 'rows of the audit log are never deleted');
END;

-- The chain of digests: each digest contains its row and the digest before it.
CREATE TABLE audit_seals (
  seq    INTEGER PRIMARY KEY,
  digest TEXT NOT NULL
);
CREATE TRIGGER audit_seals_stay BEFORE UPDATE ON audit_seals BEGIN
  SELECT RAISE(ABORT, 'seals of the audit log are never changed');
END;
CREATE TRIGGER audit_seals_kept BEFORE DELETE ON audit_seals BEGIN
  SELECT RAISE(ABORT, 'seals of the audit log are never deleted');
END;
