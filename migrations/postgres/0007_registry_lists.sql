-- Lists of proposals by their properties, each in the order of creation (workers/registry/store/proposal-list.ts): an
-- open proposal among many decided ones is found without reading those.
CREATE INDEX proposals_by_state ON proposals (state, created_at, id);
CREATE INDEX proposals_by_kind ON proposals (kind, created_at, id);
CREATE INDEX proposals_by_proposer ON proposals (proposer, created_at, id);
