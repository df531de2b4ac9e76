-- Settled claims by age: those older than the operator's retention are removed.
CREATE INDEX claims_settled ON claims (created_at, id) WHERE status = 'settled';
