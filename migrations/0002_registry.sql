-- The domain registry. Times are Unix milliseconds; a check marks text columns that contain JSON.
-- workers/registry/store converts the rows to what clients read.

CREATE TABLE domains (
  -- Small and permanent, for the full-text index; never shown.
  number              INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  type                TEXT NOT NULL,
  type_key            TEXT NOT NULL,
  class               TEXT NOT NULL,
  name                TEXT,
  metadata            TEXT NOT NULL CHECK (json_valid(metadata)),
  owner               TEXT NOT NULL,
  controllers         TEXT NOT NULL CHECK (json_valid(controllers)),
  relayer_node        TEXT,
  external_id         TEXT,
  -- The text as it was sent, which is returned to clients; the number next to it is used in comparisons.
  valid_from          TEXT,
  valid_from_ms       INTEGER,
  valid_until         TEXT,
  valid_until_ms      INTEGER,
  status              TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'deactivated')),
  suspended_by        TEXT CHECK (suspended_by IN ('controller', 'admin')),
  verification_status TEXT NOT NULL
    CHECK (verification_status IN ('AwaitingVerification', 'UnderVote', 'Verified', 'Rejected', 'Revoked')),
  verified_at         INTEGER,
  open_proposal_id    TEXT,
  services            TEXT NOT NULL CHECK (json_valid(services)),
  document            TEXT NOT NULL CHECK (json_valid(document)),
  credentials         TEXT NOT NULL CHECK (json_valid(credentials)),
  accounts            TEXT NOT NULL CHECK (json_valid(accounts)),
  version             INTEGER NOT NULL,
  version_id          TEXT NOT NULL,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL
);
-- For the order of ids, by which GraphQL lists.
CREATE INDEX domains_by_type ON domains (type_key, id);
CREATE INDEX domains_by_class ON domains (class, id);
CREATE INDEX domains_by_owner ON domains (owner, id);
CREATE INDEX domains_by_relayer_node ON domains (relayer_node, type_key, id);
CREATE INDEX domains_by_verification_status ON domains (verification_status, id);
CREATE INDEX domains_by_status ON domains (status, id);
-- For the order of creation, the default of lists: a filtered page costs the same however many domains there are
-- (workers/registry/store/domain-list.ts).
CREATE INDEX domains_by_type_creation ON domains (type_key, created_at, id);
CREATE INDEX domains_by_class_creation ON domains (class, created_at, id);
CREATE INDEX domains_by_owner_creation ON domains (owner, created_at, id);
CREATE INDEX domains_by_relayer_node_creation ON domains (relayer_node, created_at, id);
CREATE INDEX domains_by_external_id ON domains (external_id, created_at, id);
CREATE INDEX domains_by_verification_status_creation ON domains (verification_status, created_at, id);
CREATE INDEX domains_by_status_creation ON domains (status, created_at, id);
-- One index for each other order.
CREATE INDEX domains_by_creation ON domains (created_at, id);
CREATE INDEX domains_by_update ON domains (updated_at, id);
CREATE INDEX domains_by_name ON domains (name, id);
CREATE INDEX domains_by_beginning ON domains (valid_from_ms, id);
CREATE INDEX domains_by_validity ON domains (valid_until_ms, id);
-- Domains with a service that the end of their validity will switch off.
CREATE INDEX domains_by_service_end ON domains (valid_until_ms)
  WHERE services ->> '$.reporting.enabled' OR services ->> '$.issuance.enabled';
-- The last six characters of an id: the minimum that a person must type on a phone.
CREATE INDEX domains_by_suffix ON domains (substr(id, -6));

CREATE TABLE domain_controllers (
  did        TEXT NOT NULL,
  -- The domain's creation time, for lists in the order of creation.
  created_at INTEGER NOT NULL,
  domain_id  TEXT NOT NULL,
  PRIMARY KEY (did, domain_id)
) WITHOUT ROWID;
CREATE INDEX domain_controllers_by_creation ON domain_controllers (did, created_at, domain_id);
CREATE INDEX domain_controllers_by_domain ON domain_controllers (domain_id);

-- The primary key is also the lock: of two writers of one step the second fails here, and its whole batch fails.
CREATE TABLE domain_history (
  domain_id   TEXT NOT NULL,
  version     INTEGER NOT NULL,
  version_id  TEXT NOT NULL,
  at          INTEGER NOT NULL,
  actor       TEXT NOT NULL,
  action      TEXT NOT NULL,
  changes     TEXT NOT NULL CHECK (json_valid(changes)),
  reason      TEXT,
  proposal_id TEXT,
  snapshot    TEXT NOT NULL CHECK (json_valid(snapshot)),
  PRIMARY KEY (domain_id, version)
);
CREATE INDEX domain_history_by_time ON domain_history (domain_id, at);
CREATE INDEX domain_history_by_version_id ON domain_history (version_id);

-- One row per history entry, in the order of their batches, without gaps.
CREATE TABLE changes (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  domain_id TEXT NOT NULL,
  version   INTEGER NOT NULL
);

-- Derived: rowid is domains.number. Can be rebuilt from domains at any time. A prefix without an index costs as much as
-- it has matches, so the lengths that people type have an index.
CREATE VIRTUAL TABLE domain_search USING fts5 (
  name, text, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3 4 5 6 7 8 9 10 11 12'
);

CREATE TABLE proposals (
  id              TEXT PRIMARY KEY,
  domain_id       TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('verify', 'revoke')),
  title           TEXT NOT NULL,
  summary         TEXT NOT NULL,
  proposer        TEXT NOT NULL,
  proposer_role   TEXT NOT NULL CHECK (proposer_role IN ('compliance', 'program')),
  package         TEXT CHECK (package IS NULL OR json_valid(package)),
  reason          TEXT,
  state           TEXT NOT NULL CHECK (state IN ('open', 'passed', 'rejected', 'expired', 'withdrawn', 'superseded')),
  outcome_reason  TEXT,
  rules           TEXT NOT NULL CHECK (json_valid(rules)),
  total_power     INTEGER NOT NULL,
  yes             INTEGER NOT NULL DEFAULT 0,
  no              INTEGER NOT NULL DEFAULT 0,
  abstain         INTEGER NOT NULL DEFAULT 0,
  no_with_veto    INTEGER NOT NULL DEFAULT 0,
  created_at      INTEGER NOT NULL,
  ends_at         INTEGER NOT NULL,
  -- When it is decided unless more votes arrive: castAt of the deciding vote, or ends_at before there is one.
  due_at          INTEGER NOT NULL,
  decided_at      INTEGER,
  decided_early   INTEGER NOT NULL DEFAULT 0,
  previous_status TEXT NOT NULL
);
CREATE UNIQUE INDEX proposals_one_open ON proposals (domain_id) WHERE state = 'open';
CREATE INDEX proposals_due ON proposals (due_at) WHERE state = 'open';
CREATE INDEX proposals_by_domain ON proposals (domain_id, created_at, id);
CREATE INDEX proposals_by_creation ON proposals (created_at, id);

CREATE TABLE proposal_electors (
  proposal_id TEXT NOT NULL,
  did         TEXT NOT NULL,
  weight      INTEGER NOT NULL,
  PRIMARY KEY (proposal_id, did)
) WITHOUT ROWID;
CREATE INDEX proposal_electors_by_did ON proposal_electors (did);

CREATE TABLE votes (
  proposal_id TEXT NOT NULL,
  voter       TEXT NOT NULL,
  option      TEXT NOT NULL CHECK (option IN ('yes', 'no', 'abstain', 'no_with_veto')),
  power       INTEGER NOT NULL,
  rationale   TEXT,
  cast_at     INTEGER NOT NULL,
  PRIMARY KEY (proposal_id, voter)
) WITHOUT ROWID;
CREATE INDEX votes_by_time ON votes (proposal_id, cast_at, voter);

CREATE TABLE voters (
  did        TEXT PRIMARY KEY,
  weight     INTEGER NOT NULL,
  label      TEXT,
  added_at   INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE api_keys (
  id           TEXT PRIMARY KEY,
  -- SHA-256 of the whole key, in lower-case hexadecimal; the key itself is not stored.
  hash         TEXT NOT NULL UNIQUE,
  start        TEXT NOT NULL,
  label        TEXT NOT NULL,
  environment  TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  did          TEXT NOT NULL,
  role         TEXT CHECK (role IN ('compliance', 'program')),
  scopes       TEXT NOT NULL CHECK (json_valid(scopes)),
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  last_used_at INTEGER,
  revoked_at   INTEGER,
  replaced_by  TEXT
);
CREATE INDEX api_keys_by_did ON api_keys (did);
CREATE INDEX api_keys_by_creation ON api_keys (created_at, id);

CREATE TABLE idempotency (
  did         TEXT NOT NULL,
  method      TEXT NOT NULL,
  path        TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer      TEXT NOT NULL CHECK (json_valid(answer)),
  expires_at  INTEGER NOT NULL,
  PRIMARY KEY (did, method, path, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- Always empty: a batch inserts the result of a condition, and a false one rolls the whole batch back.
CREATE TABLE expectations (
  met INTEGER NOT NULL CHECK (met = 1)
);
CREATE TRIGGER expectations_stay_empty AFTER INSERT ON expectations BEGIN
  DELETE FROM expectations;
END;
