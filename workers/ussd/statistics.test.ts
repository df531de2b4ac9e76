/** The text format of Prometheus: buckets are cumulative, labels are escaped. */
import { expect, test } from "vitest";
import { metricsLines } from "./statistics.ts";

test("counters, screens and the histogram of reply times [PH-103]", () => {
  const counters = {
    sessions: 3,
    ending_exit: 2,
    latency_le_25: 4,
    latency_le_100: 1,
    latency_le_inf: 2,
    latency_sum_ms: 1500,
  };
  const lines = metricsLines({
    counters,
    screens: [{ screen: 'W"', language: "en", shown: 7, refused: 1, ended: 0 }],
  });
  expect(lines).toContain("ussd_sessions_total 3");
  expect(lines).toContain('ussd_session_endings_total{ending="exit"} 2');
  expect(lines).toContain('ussd_screens_shown_total{screen="W\\"",language="en"} 7');
  expect(lines.filter((line) => line.startsWith("ussd_reply_seconds"))).toEqual([
    'ussd_reply_seconds_bucket{le="0.025"} 4',
    'ussd_reply_seconds_bucket{le="0.1"} 5',
    'ussd_reply_seconds_bucket{le="+Inf"} 7',
    "ussd_reply_seconds_sum 1.5",
    "ussd_reply_seconds_count 7",
  ]);
});
