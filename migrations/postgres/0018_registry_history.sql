-- The history as differences (docs/decisions/020-history-as-differences.md). A version without a snapshot stores '{}'
-- there. `undo` has the earlier values that the changes of the version do not restore; null if it is not known.
ALTER TABLE domain_history ADD COLUMN undo TEXT COLLATE "C";

-- The position of a job that passes a table once, in bounded steps (workers/registry/store/history-shrinking.ts).
CREATE TABLE registry_jobs (
  job      TEXT COLLATE "C" PRIMARY KEY,
  -- The last row that is done, as JSON; null when the job has ended.
  position TEXT COLLATE "C"
);
