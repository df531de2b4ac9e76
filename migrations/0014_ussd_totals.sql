-- Sums of counters and screens over all days up to `day`; the metrics read them instead of every day.
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

-- One row once there are sums.
CREATE TABLE ussd_totals_until (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  day TEXT NOT NULL
);
