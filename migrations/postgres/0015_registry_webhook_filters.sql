-- The domains and classes that a webhook receives; an empty list means all, as for actions.
ALTER TABLE webhooks ADD COLUMN domains TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_valid(domains));
ALTER TABLE webhooks ADD COLUMN classes TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_valid(classes));
