/** The tables of the counters (platform/stored-data.ts). */
import type { StoredData } from "../../platform/stored-data.ts";

export const metricData: StoredData = {
  place: "MetricStore",
  holdings: {
    totals: "sums of counters, without personal data",
    hours: "the same sums by hour, for a week",
  },
};
