/** Words of the frame around the screens. */

interface LiveWords {
  /** Shown next to the dot. */
  readonly word: (since?: string) => string;
  readonly text: (since?: string) => string;
}

const shownAsOf = (since: string | undefined): string => (since === undefined ? "" : `: shown as of ${since}`);

export const shellTexts = {
  product: "twinedge",
  screens: {
    home: "Home",
    registry: "Registry",
    votes: "Votes",
    phone: "Phone",
    chat: "Chat",
    queries: "Queries",
    keys: "Keys and webhooks",
  },
  palette: "Search and commands",
  commands: {
    createDomain: "Create a domain",
    importDomains: "Import domains from a file",
    exportDomains: "Export all domains to a file",
    openProposals: "Open proposals",
    newProposal: "Propose a verification",
    roll: "Voter roll",
    audit: "Audit trail of votes",
    operator: "Phone: operator's view",
    issueKey: "Issue an API key",
    webhooks: "Webhooks",
    signIn: "Sign in or change keys",
    reference: "API reference",
    graphiql: "GraphiQL",
  },
  signIn: "Sign in",
  staff: "Staff: passkeys, sessions and people",
  developmentSignIn: "Use this machine's development keys",
  apiKey: "Registry API key",
  apiKeyHint: "For domains, proposals and votes.",
  operatorToken: "Operator's token",
  operatorTokenHint: "For issuing and revoking API keys (ADMIN_TOKEN).",
  phoneOperatorToken: "Phone operator's token",
  phoneOperatorTokenHint: "For the operator's view of the phone gateway (USSD_OPERATOR_TOKEN).",
  refused: {
    apiKey: "The registry does not accept this API key. Check that you copied all of it.",
    operatorToken: "The registry does not accept this token. Check that you copied all of it.",
    phoneOperatorToken: "The phone gateway does not accept this token. Check that you copied all of it.",
  },
  keyEnd: {
    expired: "Your key has expired. Sign in again.",
    refused: "The registry no longer accepts your key. Sign in again.",
  },
  lostKeys: {
    blocked: "The reload signed you out, because this browser stores nothing for this page.",
    late: "You are signed out: this tab was away from the console for more than 20 seconds.",
  },
  keepsNothing: "This browser stores nothing for this page, so a reload signs you out.",
  live: {
    off: { word: () => "", text: () => "Not following changes: sign in with an API key" },
    connecting: { word: () => "Connecting", text: () => "Connecting to the change feed" },
    live: { word: () => "Live", text: () => "Live: other people's changes appear automatically" },
    waiting: {
      word: () => "Reconnecting",
      text: (since?: string) => `Reconnecting: the change feed is interrupted${shownAsOf(since)}`,
    },
    offline: {
      word: (since?: string) => `Offline${shownAsOf(since)}`,
      text: (since?: string) => `Offline${shownAsOf(since)}. The page updates automatically when you are back online`,
    },
    refused: { word: () => "Not live", text: () => "Not live: this key may not read the change feed" },
  } satisfies Record<string, LiveWords>,
};
