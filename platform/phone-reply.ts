/**
 * The answer to a telecom gateway, from the session object or from the edge before it. The
 * last words here stay English in every language.
 */
export interface PhoneReply {
  /** CON: the session continues; END: it is over. */
  readonly kind: "CON" | "END";
  /** The screen without the prefix, its lines joined by line feeds. */
  readonly body: string;
}

/** Code points that the text of a request may have. */
export const MAX_TEXT = 182;

export const INVALID_INPUT: PhoneReply = { kind: "END", body: "Invalid input. Please try again." };
export const UNAVAILABLE: PhoneReply = {
  kind: "END",
  body: "Service temporarily unavailable. Please try again later.",
};
export const TOO_MANY_REQUESTS: PhoneReply = { kind: "END", body: "Too many requests. Please try again later." };
