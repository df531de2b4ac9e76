-- Counters and screens of all days up to `day`, added up: what the metrics read instead of every day.
CREATE TABLE ussd_counter_totals (
  counter TEXT PRIMARY KEY,
  value   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE ussd_screen_totals (
  screen   TEXT NOT NULL,
  language TEXT NOT NULL,
  shown    INTEGER NOT NULL,
  refused  INTEGER NOT NULL,
  ended    INTEGER NOT NULL,
  PRIMARY KEY (screen, language)
) WITHOUT ROWID;

-- One row once anything is added up.
CREATE TABLE ussd_totals_until (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  day TEXT NOT NULL
);
