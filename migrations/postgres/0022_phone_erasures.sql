-- Phone customers, and numbers without an account, whose erasure was requested. `person` has what is needed to find their data,
-- until the erasure is complete; `subject` is an HMAC of the Customer ID or number under the key `key_id`. Times are Unix milliseconds.
CREATE TABLE phone_erasures (
  subject         TEXT COLLATE "C" PRIMARY KEY,
  key_id          TEXT COLLATE "C" NOT NULL,
  kind            TEXT COLLATE "C" NOT NULL CHECK (kind IN ('customer', 'phone')),
  person          TEXT COLLATE "C" CHECK (person IS NULL OR json_valid(person)),
  requested_at    BIGINT NOT NULL,
  attempts        BIGINT NOT NULL DEFAULT 0,
  next_attempt_at BIGINT NOT NULL DEFAULT 0,
  erased_at       BIGINT,
  receipt         TEXT COLLATE "C" CHECK (receipt IS NULL OR json_valid(receipt))
);
CREATE INDEX phone_erasures_due ON phone_erasures (next_attempt_at, subject) WHERE person IS NOT NULL;
