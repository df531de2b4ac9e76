-- A user's preferences for responses of one oracle: one JSON object per user and oracle.
CREATE TABLE user_preferences (
  user_did   TEXT NOT NULL,
  oracle_did TEXT NOT NULL,
  preferences TEXT NOT NULL CHECK (json_valid(preferences)),
  updated_at TEXT NOT NULL,
  PRIMARY KEY (user_did, oracle_did)
) WITHOUT ROWID;
