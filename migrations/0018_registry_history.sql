-- The history as differences (docs/decisions/020-history-as-differences.md). A version without a snapshot stores '{}'
-- there. `undo` has the earlier values that the changes of the version do not restore; null if it is not known.
ALTER TABLE domain_history ADD COLUMN undo TEXT;

-- The position of a job that passes a table once, in bounded steps (workers/registry/store/history-shrinking.ts).
CREATE TABLE registry_jobs (
  job      TEXT PRIMARY KEY,
  -- The last row that is done, as JSON; null when the job has ended.
  position TEXT
) WITHOUT ROWID;

-- The release that still runs during a deployment stores no `undo`, so the version before its own becomes a copy of the
-- domain's row, which that release changes later in the same batch. D1 accepts 32 arguments of a function, so the row has
-- two parts.
CREATE TRIGGER domain_history_without_undo AFTER INSERT ON domain_history
WHEN NEW.undo IS NULL AND NEW.version > 1 BEGIN
  UPDATE domain_history SET snapshot = (
    SELECT json_object('row', json_object(
      'id', id, 'type', type, 'class', class, 'metadata', metadata, 'owner', owner, 'controllers', controllers,
      'relayer_node', relayer_node, 'external_id', external_id, 'valid_from', valid_from, 'valid_until', valid_until,
      'status', status, 'suspended_by', suspended_by, 'verification_status', verification_status
    ), 'rest', json_object(
      'verified_at', verified_at, 'verified_version', verified_version,
      'changed_since_verification', changed_since_verification, 'verified_content', verified_content,
      'was_verified', was_verified, 'open_proposal_id', open_proposal_id, 'services', services, 'document', document,
      'credentials', credentials, 'accounts', accounts, 'version', version, 'content_version', content_version,
      'version_id', version_id, 'created_at', created_at, 'updated_at', updated_at))
    FROM domains WHERE domains.id = NEW.domain_id AND domains.version = NEW.version - 1
  )
  WHERE domain_id = NEW.domain_id AND version = NEW.version - 1 AND snapshot = '{}' AND EXISTS (
    SELECT 1 FROM domains WHERE domains.id = NEW.domain_id AND domains.version = NEW.version - 1);
END;
