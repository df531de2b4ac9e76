-- The text mode of a telecom gateway, as its sessions detected it: all inputs so far, or only the latest. `gateway_key`
-- is an HMAC of its address and service code. Times are Unix milliseconds.
CREATE TABLE ussd_gateways (
  gateway_key TEXT COLLATE "C" PRIMARY KEY,
  mode        TEXT COLLATE "C" NOT NULL CHECK (mode IN ('cumulative', 'latest')),
  learned_at  BIGINT NOT NULL
);
CREATE INDEX ussd_gateways_by_time ON ussd_gateways (learned_at);

-- For the scheduled purge, so that its cost depends on the rows that it deletes and not on the stored ones.
CREATE INDEX ussd_sessions_by_end ON ussd_sessions (max(expires_at, coalesce(resume_until, 0)));
CREATE INDEX ussd_questions_by_time ON ussd_questions (asked_at);
CREATE INDEX login_guard_by_end ON login_guard (max(updated_at, coalesce(locked_until, 0)));
CREATE INDEX audit_log_anonymous ON audit_log (at) WHERE customer_id IS NULL AND phone_key IS NOT NULL;
