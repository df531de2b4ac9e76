-- Smaller rows (docs/decisions/020-history-as-differences.md). Each statement passes one table or index once.

-- The time of a version is found by a binary search in the primary key, and a digest by its first eight digits.
DROP INDEX domain_history_by_time;
CREATE INDEX domain_history_by_digest ON domain_history (sqlite_substr(version_id, 1, 8));
DROP INDEX domain_history_by_version_id;

-- The controllers of a domain are in its row, so they are deleted by the primary key. The release that still runs during
-- a deployment reads the whole table when it changes controllers.
DROP INDEX domain_controllers_by_domain;

-- Indexes end with the 16 bytes of the domain's id, which have the order of its text in a third of the space. The release
-- that still runs names these indexes, so the names stay; it sorts by the text until the deployment ends.
ALTER TABLE domains ADD COLUMN id_bytes BYTEA GENERATED ALWAYS AS (unhex(substr(id, 16))) STORED;
DROP INDEX domains_by_type;
CREATE INDEX domains_by_type ON domains (type_key, id_bytes);
DROP INDEX domains_by_class;
CREATE INDEX domains_by_class ON domains (class, id_bytes);
DROP INDEX domains_by_owner;
CREATE INDEX domains_by_owner ON domains (owner, id_bytes);
DROP INDEX domains_by_verification_status;
CREATE INDEX domains_by_verification_status ON domains (verification_status, id_bytes);
DROP INDEX domains_by_status;
CREATE INDEX domains_by_status ON domains (status, id_bytes);
DROP INDEX domains_by_type_creation;
CREATE INDEX domains_by_type_creation ON domains (type_key, created_at, id_bytes);
DROP INDEX domains_by_class_creation;
CREATE INDEX domains_by_class_creation ON domains (class, created_at, id_bytes);
DROP INDEX domains_by_owner_creation;
CREATE INDEX domains_by_owner_creation ON domains (owner, created_at, id_bytes);
DROP INDEX domains_by_verification_status_creation;
CREATE INDEX domains_by_verification_status_creation ON domains (verification_status, created_at, id_bytes);
DROP INDEX domains_by_status_creation;
CREATE INDEX domains_by_status_creation ON domains (status, created_at, id_bytes);
DROP INDEX domains_by_creation;
CREATE INDEX domains_by_creation ON domains (created_at, id_bytes);
DROP INDEX domains_by_update;
CREATE INDEX domains_by_update ON domains (updated_at, id_bytes);
DROP INDEX domains_by_name;
CREATE INDEX domains_by_name ON domains (name, id_bytes);
DROP INDEX domains_by_beginning;
CREATE INDEX domains_by_beginning ON domains (valid_from_ms, id_bytes);
DROP INDEX domains_by_validity;
CREATE INDEX domains_by_validity ON domains (valid_until_ms, id_bytes);

-- Most domains name no relayer node or no external id, and no list asks for those without one.
DROP INDEX domains_by_relayer_node;
CREATE INDEX domains_by_relayer_node ON domains (relayer_node, type_key, id_bytes) WHERE relayer_node IS NOT NULL;
DROP INDEX domains_by_relayer_node_creation;
CREATE INDEX domains_by_relayer_node_creation ON domains (relayer_node, created_at, id_bytes) WHERE relayer_node IS NOT NULL;
DROP INDEX domains_by_external_id;
CREATE INDEX domains_by_external_id ON domains (external_id, created_at, id_bytes) WHERE external_id IS NOT NULL;
