/** Words of the frame around the screens. */

interface LiveWords {
  /** Beside the dot. */
  readonly word: (since?: string) => string;
  readonly text: (since?: string) => string;
}

const shownAsOf = (since: string | undefined): string => (since === undefined ? "" : `: shown as of ${since}`);

export const shellTexts = {
  product: "twinedge",
  skip: "Skip to content",
  mainNavigation: "Main",
  openMenu: "Menu",
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
  paletteKeys: "Ctrl K",
  paletteKeysMac: "⌘ K",
  paletteHint: "Type a command or the name of a domain",
  paletteNothing: "Nothing matches. Try another word of its name.",
  openDomain: (name: string) => `Domain: ${name}`,
  commands: {
    createDomain: "Create a domain",
    importDomains: "Import domains from a file",
    exportDomains: "Export all domains to a file",
    openProposals: "Open proposals",
    newProposal: "Propose a verification",
    roll: "Roll of voters",
    audit: "Audit trail of votes",
    operator: "Phone: operator's view",
    issueKey: "Issue an API key",
    webhooks: "Webhooks",
    signIn: "Sign in or change keys",
    reference: "API reference",
    graphiql: "GraphiQL",
  },
  theme: "Theme",
  themes: { system: "As the system", light: "Light", dark: "Dark" },
  account: "Account",
  signIn: "Sign in",
  changeKeys: "Change keys",
  signedInAs: "Signed in as",
  signOut: "Sign out",
  signOutTitle: "Sign out?",
  signOutEffect:
    "The keys leave every tab of this console, and what they have read leaves the screen. What is not saved in other tabs is lost.",
  signOutAction: "Sign out",
  signOutDiscard: "Sign out and discard",
  leaveChat: "Leave the chat too",
  leaveChatHint:
    "Deletes its conversations, what the oracle remembers of you, and the key by which this browser chats. This cannot be undone.",
  leftChat: "You have left the chat.",
  signedOutElsewhere: "You were signed out in another tab.",
  signedOutTitle: "You are signed out",
  idleTitle: "Are you still there?",
  idleLead: "Nobody has used this console for a while. You are signed out in a minute, and what is not saved is lost.",
  idleStay: "Stay signed in",
  idleSignedOut: "You were signed out, because nobody had used this console for 30 minutes.",
  signInTitle: "Sign in to this console",
  signInLead:
    "Keys stay in this tab and are sent to this server only. A reload keeps them; closing the tab, signing out, or 30 minutes without use removes them. Enter those that you need.",
  storageBlocked: "This browser lets the page store nothing, so a reload signs you out too.",
  signInEmpty: "Enter at least one key.",
  otherPerson:
    "This API key belongs to somebody else than the one that you are signed in with. All keys of this tab are replaced, and what is not saved is lost:",
  otherPersonAction: "Discard and sign in",
  developmentSignIn: "Use this machine's development keys",
  developmentHint: "You run twinedge on this machine, so the console can fetch its keys.",
  apiKey: "API key of the registry",
  apiKeyHint: "For domains, proposals and votes.",
  operatorToken: "Operator's token",
  operatorTokenHint: "For issuing and revoking API keys (ADMIN_TOKEN).",
  phoneOperatorToken: "Phone operator's token",
  phoneOperatorTokenHint: "For the operator's view of the phone gateway (USSD_OPERATOR_TOKEN).",
  save: "Sign in",
  refused: {
    apiKey: "The registry does not accept this API key. Check that you copied all of it.",
    operatorToken: "The registry does not accept this token. Check that you copied all of it.",
    phoneOperatorToken: "The phone gateway does not accept this token. Check that you copied all of it.",
  },
  live: {
    off: { word: () => "", text: () => "Not following changes: sign in with an API key" },
    connecting: { word: () => "Connecting", text: () => "Connecting to the change feed" },
    live: { word: () => "Live", text: () => "Live: changes of others appear by themselves" },
    waiting: {
      word: () => "Reconnecting",
      text: (since?: string) => `Reconnecting: the change feed is interrupted${shownAsOf(since)}`,
    },
    offline: {
      word: (since?: string) => `Offline${shownAsOf(since)}`,
      text: (since?: string) => `Offline${shownAsOf(since)}. The page updates by itself once you are online`,
    },
    refused: { word: () => "Not live", text: () => "Not live: this key may not read the change feed" },
  } satisfies Record<string, LiveWords>,
  notFoundTitle: "There is no such page",
  notFoundLead: "The address may be misspelt, or what it named is gone.",
  goHome: "Go to the home screen",
  environment: (name: string) => `Environment: ${name}`,
};
