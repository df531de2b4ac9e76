/**
 * The reply to a telecom gateway, from the session object or from the edge before it. The closing texts here are
 * English in every language.
 */
export interface PhoneReply {
  /** CON: the session continues; END: it has ended. */
  readonly kind: "CON" | "END";
  /** The screen without the prefix, its lines joined by line feeds. */
  readonly body: string;
}

/** Maximum code points of a request's text. */
export const MAX_TEXT = 182;

export const INVALID_INPUT: PhoneReply = { kind: "END", body: "Invalid input. Please try again." };
export const UNAVAILABLE: PhoneReply = {
  kind: "END",
  body: "Service temporarily unavailable. Please try again later.",
};
export const NOTHING_SAVED: PhoneReply = {
  kind: "END",
  body: "Nothing can be saved right now. Your entries so far are kept. Please try again later.",
};
export const TOO_MANY_REQUESTS: PhoneReply = { kind: "END", body: "Too many requests. Please try again later." };
