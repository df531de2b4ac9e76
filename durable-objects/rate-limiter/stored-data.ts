/** The table of a limiter (platform/stored-data.ts). */
import type { StoredData } from "../../platform/stored-data.ts";

export const rateLimiterData: StoredData = {
  place: "RateLimiter",
  holdings: {
    admissions: {
      about: ["address", "phone customer"],
      holds: "counts of requests and SMS; the object is named by the address, phone number or Customer ID",
      why: "limits per minute and day",
      kept: "a minute; a day for SMS",
      erased: "kept until it expires: an erasure resets no limit",
    },
  },
};
