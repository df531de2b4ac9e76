-- The number of domains, by the members that lists count most often (workers/registry/lists/domain-counts.ts). Counting
-- along an index costs by its entries: a portal that shows a total on each page would read the index of all domains
-- each time. Triggers maintain the numbers in the batch of each write, including writes of the version that still runs.
CREATE TABLE domain_counts (
  -- all, type, owner, class or relayerNode.
  member              TEXT COLLATE "C" NOT NULL,
  -- The member's value in its column; '' for all.
  value               TEXT COLLATE "C" NOT NULL,
  status              TEXT COLLATE "C" NOT NULL,
  verification_status TEXT COLLATE "C" NOT NULL,
  domains             BIGINT NOT NULL,
  PRIMARY KEY (member, value, status, verification_status)
);

INSERT INTO domain_counts (member, value, status, verification_status, domains)
WITH grouped AS MATERIALIZED (
  SELECT type_key, owner, class, relayer_node, status, verification_status, count(*) AS domains
  FROM domains GROUP BY type_key, owner, class, relayer_node, status, verification_status
), counted (member, value, status, verification_status, domains) AS (
  SELECT 'all', '', status, verification_status, domains FROM grouped
  UNION ALL SELECT 'type', type_key, status, verification_status, domains FROM grouped
  UNION ALL SELECT 'owner', owner, status, verification_status, domains FROM grouped
  UNION ALL SELECT 'class', class, status, verification_status, domains FROM grouped
  UNION ALL SELECT 'relayerNode', relayer_node, status, verification_status, domains FROM grouped
    WHERE relayer_node IS NOT NULL
)
SELECT member, value, status, verification_status, sum(domains) FROM counted
GROUP BY member, value, status, verification_status;

CREATE FUNCTION count_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE domain_counts SET domains = domains - 1
    WHERE status = OLD.status AND verification_status = OLD.verification_status AND (member, value) IN (
      VALUES ('all', ''), ('type', OLD.type_key), ('owner', OLD.owner), ('class', OLD.class),
        ('relayerNode', OLD.relayer_node)
    );
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO domain_counts AS counts (member, value, status, verification_status, domains)
    SELECT member, value, NEW.status, NEW.verification_status, 1 FROM (
      VALUES ('all', ''), ('class', NEW.class), ('owner', NEW.owner), ('relayerNode', NEW.relayer_node),
        ('type', NEW.type_key)
    ) AS members (member, value) WHERE value IS NOT NULL
    ON CONFLICT (member, value, status, verification_status) DO UPDATE SET domains = counts.domains + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER domains_counted_after_insert AFTER INSERT OR DELETE ON domains FOR EACH ROW EXECUTE FUNCTION count_domain();
CREATE TRIGGER domains_counted_after_update
AFTER UPDATE OF type_key, owner, class, relayer_node, status, verification_status ON domains FOR EACH ROW
WHEN ((OLD.type_key, OLD.owner, OLD.class, OLD.relayer_node, OLD.status, OLD.verification_status)
  IS DISTINCT FROM (NEW.type_key, NEW.owner, NEW.class, NEW.relayer_node, NEW.status, NEW.verification_status))
EXECUTE FUNCTION count_domain();
