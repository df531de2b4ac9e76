/** The tables of an outbox (platform/stored-data.ts). */
import type { StoredData } from "../../platform/stored-data.ts";

export const outboxData: StoredData = {
  place: "Outbox",
  holdings: {
    deliveries: {
      about: ["phone customer", "registry user"],
      holds: "SMS with phone number and text; changes of domains for a webhook, with the DID of their author",
      why: "delivery with retries",
      kept: "an SMS until it is delivered or failed, then up to 1,000 failed ones; the newest 200 delivered changes; SMS at most `USSD_RECORD_DAYS`, changes `REGISTRY_WEBHOOK_DELIVERY_DAYS`",
      erased: "SMS to the person are deleted; changes of domains are kept",
    },
    outbox: "the position in the feed, and counts of failures",
    signing_secrets: "secrets that sign webhooks",
  },
};
