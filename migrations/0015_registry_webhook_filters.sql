-- Which domains and which classes a webhook receives; an empty list stands for all, as it does for actions.
ALTER TABLE webhooks ADD COLUMN domains TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(domains));
ALTER TABLE webhooks ADD COLUMN classes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(classes));
