/** The last words that stay English in every language (spec.md, section B; contract/ussd.md section 10). */
import type { StoredReply } from "./session-record.ts";

export const INVALID_INPUT: StoredReply = { kind: "END", body: "Invalid input. Please try again." };
export const UNAVAILABLE: StoredReply = {
  kind: "END",
  body: "Service temporarily unavailable. Please try again later.",
};
export const TOO_MANY_REQUESTS: StoredReply = { kind: "END", body: "Too many requests. Please try again later." };
