-- Sums of counters and screens over all days up to `day`; the metrics read them instead of every day.
CREATE TABLE ussd_counter_totals (
  counter TEXT COLLATE "C" PRIMARY KEY,
  value   BIGINT NOT NULL
);

CREATE TABLE ussd_screen_totals (
  screen   TEXT COLLATE "C" NOT NULL,
  language TEXT COLLATE "C" NOT NULL,
  shown    BIGINT NOT NULL,
  refused  BIGINT NOT NULL,
  ended    BIGINT NOT NULL,
  PRIMARY KEY (screen, language)
);

-- One row once there are sums.
CREATE TABLE ussd_totals_until (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  day TEXT COLLATE "C" NOT NULL
);
