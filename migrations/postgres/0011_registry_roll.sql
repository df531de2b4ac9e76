-- The voter roll by version (docs/storage.md): a proposal stores the version of the roll with which it was opened and
-- no longer copies the roll. Times are Unix milliseconds.

-- Every change of the roll, oldest first, kept forever. A row is also the state of its voter from that version on; the
-- weight is null after the voter was removed.
CREATE TABLE roll_changes (
  version     BIGINT PRIMARY KEY,
  did         TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL,
  -- The DID of the author; null if a release that did not record it made the change.
  actor       TEXT COLLATE "C",
  weight      BIGINT,
  label       TEXT COLLATE "C",
  old_weight  BIGINT,
  old_label   TEXT COLLATE "C",
  -- The version that replaced this state; null while it is the voter's current state.
  replaced_by BIGINT
);
CREATE UNIQUE INDEX roll_changes_by_voter ON roll_changes (did, version);
CREATE UNIQUE INDEX roll_changes_current ON roll_changes (did) WHERE replaced_by IS NULL;
-- Voters whose state has changed since a proposal was opened.
CREATE INDEX roll_changes_replaced ON roll_changes (replaced_by) WHERE weight IS NOT NULL;

-- Who last changed or removes a voter: an update that records it comes before the removal, in one batch.
ALTER TABLE voters ADD COLUMN changed_by TEXT COLLATE "C";
ALTER TABLE voters ADD COLUMN removed_by TEXT COLLATE "C";

-- The version is assigned under a lock, so that versions have no gaps and become visible in order.
CREATE FUNCTION number_roll_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.version IS NULL THEN
    PERFORM pg_advisory_xact_lock(7305101);
    NEW.version := coalesce((SELECT max(version) FROM roll_changes), 0) + 1;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER number_roll_change BEFORE INSERT ON roll_changes FOR EACH ROW EXECUTE FUNCTION number_roll_change();

INSERT INTO roll_changes (did, at, weight, label) SELECT did, updated_at, weight, label FROM voters ORDER BY added_at, did;

CREATE FUNCTION write_roll_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305101);
  UPDATE roll_changes SET replaced_by = (SELECT max(version) + 1 FROM roll_changes)
    WHERE did = coalesce(NEW.did, OLD.did) AND replaced_by IS NULL;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO roll_changes (did, at, actor, weight, label)
      VALUES (NEW.did, NEW.updated_at, NEW.changed_by, NEW.weight, NEW.label);
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO roll_changes (did, at, actor, weight, label, old_weight, old_label)
      VALUES (NEW.did, NEW.updated_at, NEW.changed_by, NEW.weight, NEW.label, OLD.weight, OLD.label);
  ELSE
    INSERT INTO roll_changes (did, at, actor, old_weight, old_label)
      VALUES (OLD.did, CASE WHEN OLD.removed_by IS NULL THEN floor(extract(epoch FROM now()))::bigint * 1000 ELSE OLD.updated_at END,
        OLD.removed_by, OLD.weight, OLD.label);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER voters_added AFTER INSERT OR DELETE ON voters FOR EACH ROW EXECUTE FUNCTION write_roll_change();
CREATE TRIGGER voters_changed AFTER UPDATE OF weight, label ON voters FOR EACH ROW
WHEN (OLD.weight IS DISTINCT FROM NEW.weight OR OLD.label IS DISTINCT FROM NEW.label) EXECUTE FUNCTION write_roll_change();

-- The version of the roll with which a proposal was opened, its number of electors, and the voters that its rules
-- exclude. Null if the electors were copied, by older releases or by the one that still runs.
ALTER TABLE proposals ADD COLUMN roll_version BIGINT;
ALTER TABLE proposals ADD COLUMN elector_count BIGINT;
ALTER TABLE proposals ADD COLUMN excluded TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_valid(excluded));
CREATE INDEX proposals_copied ON proposals (created_at) WHERE roll_version IS NULL;

-- Every query uses proposal and elector, which is the primary key.
DROP INDEX proposal_electors_by_did;
ALTER TABLE proposal_electors RENAME TO copied_electors;
-- The release that still runs reads and writes this under the old name.
CREATE VIEW proposal_electors (proposal_id, did, weight) AS
  SELECT proposal_id, did, weight FROM copied_electors
  UNION ALL
  SELECT proposals.id, states.did, states.weight
  FROM proposals JOIN roll_changes AS states ON states.version <= proposals.roll_version
    AND (states.replaced_by IS NULL OR states.replaced_by > proposals.roll_version)
  WHERE states.weight IS NOT NULL AND states.did NOT IN (SELECT value FROM json_each(proposals.excluded));
CREATE FUNCTION copy_elector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO copied_electors (proposal_id, did, weight) VALUES (NEW.proposal_id, NEW.did, NEW.weight);
  RETURN NEW;
END $$;
CREATE TRIGGER proposal_electors_added INSTEAD OF INSERT ON proposal_electors FOR EACH ROW EXECUTE FUNCTION copy_elector();

-- Whether an API key represents a voter.
CREATE INDEX api_keys_voting ON api_keys (did) WHERE revoked_at IS NULL AND instr(scopes, '"verification:vote"') > 0;
