/** Words of the chat for what failed, and what to do then. */
export const failuresTexts = {
  unauthorized:
    "The oracle does not accept this identity's signature. Check that the clock of this device is right, then try again.",
  payment: "There are not enough credits for an answer. Your message is kept: send it again once credits were granted.",
  limited: "You have sent much in a short time. Wait a little, then send it again.",
  limitedFor: (seconds: number) => `You have sent much in a short time. Send it again in ${seconds} s.`,
  gone: "This conversation does not exist for this identity: it was deleted, or it belongs to another one.",
  full: "Delete conversations that you do not need any more, or start a new one.",
  offline: "The oracle cannot be reached. Check that you are online; it is tried again by itself.",
  server: "The fault is at the server. Try again in a moment; if it stays, give the request id to your operator.",
  signing:
    "The key of this identity could not sign. Reload the page; if it stays, forget the identity and begin with a new one.",
  other: "Try again; if it stays, give the request id to your operator.",
  kinds: {
    rate_limit: "The model's provider limits how much it answers. Wait a minute, then send the message again.",
    billing: "The account at the model's provider has no money left. Only the operator can change that.",
    auth: "The model's provider does not accept the operator's key. Only the operator can change that.",
    timeout: "The model took too long. Send the message again, or choose another model.",
    server: "The model's provider failed. Send the message again, or choose another model.",
    network: "The model's provider could not be reached. Send the message again in a moment.",
    budget_exhausted: "The limit for this answer was reached. What was said is kept; ask for less at once.",
  } as Readonly<Record<string, string>>,
  unknownKind: "The model failed. Send the message again, or choose another model.",
  seeCredits: "See your credits",
  startNew: "Start a new conversation",
};
