-- The audit log (docs/security.md). Rows are only ever added. A number up to `last` without a row means that a row was
-- removed. Times are Unix milliseconds.

-- The last number that a row has. It is in one row, so that two writers never take the same number.
CREATE TABLE audit_numbers (
  id   BIGINT PRIMARY KEY CHECK (id = 1),
  last BIGINT NOT NULL
);

CREATE TABLE audit_rows (
  seq        BIGINT PRIMARY KEY,
  -- Joins the rows of one act.
  act        TEXT COLLATE "C" NOT NULL,
  -- `begun`, written with the act's first change, or `done`, written after its response.
  phase      TEXT COLLATE "C" NOT NULL,
  at         BIGINT NOT NULL,
  -- The id of a member of staff or of an API key, `operator` or `phone-operator`.
  actor      TEXT COLLATE "C" NOT NULL,
  -- The network of the request: an IPv4 address or an IPv6 /64.
  network    TEXT COLLATE "C" NOT NULL,
  -- The id of the operation in the OpenAPI documents.
  operation  TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C",
  request_id TEXT COLLATE "C" NOT NULL,
  -- The status of the response; NULL for `begun`.
  status     BIGINT,
  -- JSON: what was changed, before and after.
  change     TEXT COLLATE "C"
);
CREATE INDEX audit_rows_by_act ON audit_rows (act, phase);
CREATE INDEX audit_rows_by_actor ON audit_rows (actor, seq);
CREATE INDEX audit_rows_by_subject ON audit_rows (subject, seq);
CREATE INDEX audit_rows_by_operation ON audit_rows (operation, seq);
CREATE INDEX audit_rows_by_request ON audit_rows (request_id, seq);
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of the audit log are never %', CASE TG_TABLE_NAME WHEN 'audit_rows' THEN 'rows' ELSE 'seals' END,
    CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END;
END $$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit_rows FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_rows_kept BEFORE TRUNCATE ON audit_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- The chain of digests: each digest contains its row and the digest before it.
CREATE TABLE audit_seals (
  seq    BIGINT PRIMARY KEY,
  digest TEXT COLLATE "C" NOT NULL
);
CREATE TRIGGER audit_seals_stay BEFORE UPDATE OR DELETE ON audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_seals_kept BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
