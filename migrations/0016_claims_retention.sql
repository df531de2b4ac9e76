-- Settled claims by their age: those that are older than the operator keeps them are removed.
CREATE INDEX claims_settled ON claims (created_at, id) WHERE status = 'settled';
