-- Smaller rows (docs/decisions/020-history-as-differences.md). Each statement passes one table or index once.

-- The time of a version is found by a binary search in the primary key, and a digest by its first eight digits.
DROP INDEX domain_history_by_time;
CREATE INDEX domain_history_by_digest ON domain_history (substr(version_id, 1, 8));
DROP INDEX domain_history_by_version_id;

-- The controllers of a domain are in its row, so they are deleted by the primary key. The release that still runs during
-- a deployment reads the whole table when it changes controllers.
DROP INDEX domain_controllers_by_domain;

-- Most domains name no relayer node or no external id, and no list asks for those without one. The names stay, because
-- the release that still runs names its indexes.
DROP INDEX domains_by_relayer_node;
CREATE INDEX domains_by_relayer_node ON domains (relayer_node, type_key, id) WHERE relayer_node IS NOT NULL;
DROP INDEX domains_by_relayer_node_creation;
CREATE INDEX domains_by_relayer_node_creation ON domains (relayer_node, created_at, id) WHERE relayer_node IS NOT NULL;
DROP INDEX domains_by_external_id;
CREATE INDEX domains_by_external_id ON domains (external_id, created_at, id) WHERE external_id IS NOT NULL;
