-- For the retention of call records and of numbers that no longer call (docs/configuration.md): found by time, oldest first.
CREATE INDEX audit_log_by_time ON audit_log (at);
CREATE INDEX phones_by_last_call ON phones (last_seen);
-- A dial, an erasure and the retention find the logins of a phone.
CREATE INDEX login_phones_by_phone ON login_phones (phone_id);
