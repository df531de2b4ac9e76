-- What a verification covers (docs/decisions/005-registry.md). Times are Unix milliseconds.

-- The version in which the domain's content last changed. It is unknown for older rows; 1 claims nothing.
ALTER TABLE domains ADD COLUMN content_version BIGINT NOT NULL DEFAULT 1;
-- The version that the voters saw; null unless verified, and for verifications from before this migration.
ALTER TABLE domains ADD COLUMN verified_version BIGINT;
ALTER TABLE domains ADD COLUMN changed_since_verification TEXT COLLATE "C" NOT NULL DEFAULT '[]'
  CHECK (json_valid(changed_since_verification));
-- Digests of the verified content, by member.
ALTER TABLE domains ADD COLUMN verified_content TEXT COLLATE "C" CHECK (verified_content IS NULL OR json_valid(verified_content));
-- Its verification ended without a vote, so that a vote can still revoke it after a deactivation.
ALTER TABLE domains ADD COLUMN was_verified BIGINT NOT NULL DEFAULT 0;

-- For a proposal to verify: the version that its voters see, and the digests of its content.
ALTER TABLE proposals ADD COLUMN domain_version BIGINT;
ALTER TABLE proposals ADD COLUMN content TEXT COLLATE "C" CHECK (content IS NULL OR json_valid(content));
UPDATE proposals SET domain_version = (SELECT version FROM domains WHERE domains.id = proposals.domain_id)
  WHERE state = 'open' AND kind = 'verify';

-- Domains that were verified when they were deactivated, until the next cron run stores that they no longer are.
CREATE INDEX domains_deactivated_verified ON domains (id)
  WHERE status = 'deactivated' AND verification_status = 'Verified';
