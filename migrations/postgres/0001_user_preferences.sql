-- A user's preferences for responses of one oracle: one JSON object per user and oracle.
CREATE TABLE user_preferences (
  user_did   TEXT COLLATE "C" NOT NULL,
  oracle_did TEXT COLLATE "C" NOT NULL,
  preferences TEXT COLLATE "C" NOT NULL CHECK (json_valid(preferences)),
  updated_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_did, oracle_did)
);
