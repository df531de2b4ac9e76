-- The domains and classes that a webhook receives; an empty list means all, as for actions.
ALTER TABLE webhooks ADD COLUMN domains TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(domains));
ALTER TABLE webhooks ADD COLUMN classes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(classes));
