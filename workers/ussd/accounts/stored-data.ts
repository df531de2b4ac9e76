/** The phone gateway's tables (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

const UNTIL_ERASED = "until the customer is erased";

export const phoneData: StoredData = {
  place: "DATABASE",
  holdings: {
    phones: {
      about: ["phone customer"],
      holds: "a phone number that called: its language, its first and last call, and the number of calls",
      why: "the language of the next call, and the limit of accounts per phone",
      kept: "`USSD_PHONE_DAYS` after the last call, otherwise forever; after 180 days it no longer belongs to its accounts",
      erased: "deleted, unless another account has the number",
    },
    customers: {
      about: ["phone customer"],
      holds:
        "an account: name, optional e-mail, Customer ID, linked DID, PIN (hashed, then encrypted), private key (encrypted)",
      why: "login",
      kept: UNTIL_ERASED,
      erased: "deleted; name, e-mail and PIN at once",
    },
    customer_phones: {
      about: ["phone customer"],
      holds: "the phone of an account",
      why: "security notices",
      kept: "until staff remove the number, or 180 days without a call",
      erased: "deleted",
    },
    login_phones: {
      about: ["phone customer"],
      holds: "phones from which a customer logs in, with wrong PINs of each",
      why: "strangers cannot use up a customer's attempts",
      kept: "the latest four phones, until 180 days without a call",
      erased: "deleted",
    },
    login_guard: {
      about: ["phone customer"],
      holds: "wrong PINs from unknown phones, by keyed digests of Customer ID and phone",
      why: "limits of guesses",
      kept: "a day after the last attempt or lock",
      erased:
        "counts of the account are deleted; the count of the phone stays for its day, because an erasure resets no limit",
    },
    ussd_sessions: {
      about: ["phone customer"],
      holds: "the index of calls: a keyed digest of the phone, state and times",
      why: "a dial continues an interrupted call",
      kept: "until the call can no longer be continued (15 minutes)",
      erased: "deleted",
    },
    ussd_questions: {
      about: ["phone customer"],
      holds: "times of questions to the oracle by Customer ID",
      why: "the limit per day",
      kept: "a day",
      erased: "deleted",
    },
    audit_log: {
      about: ["phone customer"],
      holds:
        "call records: logins, changes, locks and acts of staff, with Customer ID and keyed digests of phone and call",
      why: "explaining what happened to an account; security notices",
      kept: "`USSD_RECORD_DAYS`, otherwise forever; 30 days for ids without an account",
      erased: "time and kind of the event are kept without the customer, the digests and the details",
    },
    phone_erasures: {
      about: ["phone customer"],
      holds:
        "requests for erasure: Customer ID, numbers and key DID until it is complete, then a keyed digest and the receipt",
      why: "an erasure survives a crash, and is applied again after a restore",
      kept: "the digest forever",
      erased: "the digest is kept: it tells after a restore who must be erased again",
    },
    ussd_gateways: "the input format of each telecom gateway, by a keyed digest; kept for 90 days",
    ussd_stats: "counts of screens by day and language; kept for `USSD_STATISTICS_DAYS`, otherwise forever",
    ussd_counters: "counts of calls by day; kept for `USSD_STATISTICS_DAYS`, otherwise forever",
    ussd_counter_totals: "sums of the counts of calls",
    ussd_screen_totals: "sums of the counts of screens",
    ussd_totals_until: "the last day in these sums",
  },
};
