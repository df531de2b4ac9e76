-- Phones from which a customer logs in: the one that created the account, and the last few with the right PIN. Each has
-- its own count of wrong PINs, so other phones cannot use up the customer's attempts. All other phones share the count
-- in `customers`. Times are Unix milliseconds. A database that applied this file under its earlier number, 0006, keeps
-- its rows.
CREATE TABLE IF NOT EXISTS login_phones (
  customer_id     BIGINT NOT NULL REFERENCES customers (id),
  phone_id        BIGINT NOT NULL REFERENCES phones (id),
  failed_attempts BIGINT NOT NULL DEFAULT 0,
  locked_until    BIGINT,
  lock_level      BIGINT NOT NULL DEFAULT 0,
  attempted_at    BIGINT NOT NULL DEFAULT 0,
  -- The last time that the right PIN came from this phone, or the creation of the account.
  logged_in_at    BIGINT NOT NULL,
  PRIMARY KEY (customer_id, phone_id)
);

INSERT INTO login_phones (customer_id, phone_id, logged_in_at)
SELECT made.customer_id, made.phone_id, customers.created_at
FROM customer_phones AS made JOIN customers ON customers.id = made.customer_id
WHERE true ON CONFLICT DO NOTHING;
