/** Texts of the chat screen: the conversation and its panels. */
import { plural } from "./number.ts";

/** Texts for the oracle's questions to its user: approvals, forms, sign-ins. */
const questionTexts = {
  title: "Allow the oracle to do this?",
  effect: (tool: string) =>
    `It will run “${tool}” on your behalf with the values below. Nothing happens until you decide.`,
  effectAlone: (tool: string) =>
    `It will run “${tool}” on your behalf. This tool takes no values. Nothing happens until you decide.`,
  approve: "Approve and run it",
  refuse: "Do not run it",
  approved: "You approved it.",
  refused: "You refused it. It was not run.",
  /** The actions of the tools that this console knows. */
  tools: {
    remember: "Remember a fact",
    forget: "Forget a fact",
    forget_everything: "Forget everything that you asked to remember",
    set_user_preferences: "Change your preferences",
  } as Readonly<Record<string, string>>,
  values: "Values",
  asText: "as text",
  blankText: "blank text",
  formTitle: (server: string) => `The service “${server}” asks you to fill this in`,
  formLimit: "If you do not answer within two minutes, the oracle declines for you. Never enter a password here.",
  submit: (server: string) => `Send this to ${server}`,
  sent: "Your answer was sent.",
  choose: "Choose",
  faults: {
    missing: "Fill this in.",
    number: "Enter a number.",
    integer: "Enter a whole number.",
    least: (least: number) => `Enter ${least} or more.`,
    largest: (most: number) => `Enter ${most} or less.`,
    shortest: (least: number) => `Enter at least ${plural(least, "character", "characters")}.`,
    longest: (most: number) => `Enter at most ${plural(most, "character", "characters")}.`,
    fewest: (least: number) => `Choose at least ${least}.`,
    most: (most: number) => `Choose at most ${most}.`,
    email: "Enter an e-mail address.",
    url: "Enter a complete address, such as https://example.org.",
  },
  openPage: (host: string) => `Open ${host}`,
  opened: "I have done it",
  decline: "Decline",
  declined: "You declined.",
  answerAgain: "Your answer was not accepted. The oracle is still waiting: answer again.",
  over: "A question has closed: it was answered elsewhere or has expired.",
  signIn: (server: string) => `Sign in to ${server}`,
  signInLead: (server: string) =>
    `The oracle needs you to sign in to ${server}. The sign-in opens in another tab; come back here afterwards.`,
  signedIn: (server: string) => `You are signed in to ${server}.`,
  askAgain: "Ask again",
};

/** Texts for failures, with the next step. */
const failuresTexts = {
  unauthorized:
    "The oracle does not accept this identity's signature. Check that the clock of this device is right, then try again.",
  payment:
    "You do not have enough credits for an answer. Your message is kept: send it again when you have more credits.",
  limited: "You are sending messages too fast. Wait a moment, then send it again.",
  limitedFor: (seconds: number) => `You are sending messages too fast. Send it again in ${seconds} s.`,
  gone: "This identity has no such conversation. It was deleted, or it belongs to another identity.",
  full: "Delete conversations that you no longer need, or start a new one.",
  offline: "The oracle cannot be reached. Check that you are online. The page retries automatically.",
  server: "The server failed. Try again in a moment. If it keeps failing, send the request id to your operator.",
  signing:
    "This identity's key could not sign the request. Reload the page. If it keeps failing, forget the identity and start with a new one.",
  other: "Try again. If it keeps failing, send the request id to your operator.",
  kinds: {
    rate_limit: "The rate limit of the model provider was reached. Wait a minute, then send the message again.",
    billing: "The operator's account at the model provider has run out of funds. Only the operator can fix this.",
    auth: "The model provider rejected the operator's key. Only the operator can fix this.",
    timeout: "The model took too long. Send the message again, or choose another model.",
    server: "The model provider failed. Send the message again, or choose another model.",
    network: "The model provider could not be reached. Send the message again in a moment.",
    budget_exhausted: "This answer reached its limit. The text so far is kept. Ask for less at a time.",
  } as Readonly<Record<string, string>>,
  unknownKind: "The model failed. Send the message again, or choose another model.",
  seeCredits: "See your credits",
  startNew: "Start a new conversation",
};

interface AboutDomain {
  readonly did: string;
  readonly name?: string | undefined;
}

/** A model finds the domain by its DID, people by its name. */
function called({ did, name }: AboutDomain): string {
  return name === undefined ? did : `${name} (${did})`;
}

export const chatTexts = {
  title: "Chat",
  views: "Views of the chat",
  panels: {
    sessions: "Conversations",
    models: "Models",
    preferences: "Preferences",
    memory: "Memory",
    credits: "Credits",
    identity: "Identity",
    inspector: "Inspector",
  },
  oracle: "Oracle",
  toNewest: "Jump to the newest message",
  code: "Code",
  message: "Message",
  send: "Send",
  stop: "Stop",
  stopped: "You stopped this answer.",
  sendAgain: "Send again",

  attach: {
    title: "Attached files",
    choose: "Attach files",
    /** Sent if there are files and no text. */
    alone: "Read the attached files.",
    remove: (name: string) => `Remove ${name}`,
    sending: (name: string) => `Sending ${name}`,
    wait: "Wait until the files are uploaded, or remove them.",
    size: (bytes: number) =>
      bytes < 1_000
        ? `${bytes} bytes`
        : bytes < 1_000_000
          ? `${Math.round(bytes / 1_000)} kB`
          : `${(bytes / 1_000_000).toFixed(1)} MB`,
    tooMany: (most: number) => `A message can have at most ${most} files.`,
    tooLarge: (megabytes: number) => `A file can have at most ${megabytes} MB.`,
    wrongType: "The oracle reads images, PDF and text files only.",
    empty: "The file is empty.",
    notSent: "The file could not be uploaded. Attach it again.",
    unnamed: "File",
  },
  whatIsDomain: "What is a clean cooking domain?",
  aboutDomain: (about: AboutDomain) => `Tell me about ${called(about)}`,
  whyUnverified: (about: AboutDomain) => `Why is ${called(about)} not verified?`,
  howVerified: (about: AboutDomain) => `How was ${called(about)} verified?`,
  forgetAll: "Forget everything you remember",
  aboutLabel: ({ name }: AboutDomain) => `Tell me about ${name ?? "this domain"}`,
  builtIn: {
    before: "Built-in model: answers the suggested questions and looks up domains. Set ",
    variable: "LLM_PROVIDER",
    after: " to use a real model.",
  },

  connection: {
    reconnecting: "Reconnecting to the answer",
    disconnected: "The answer continues on the server and appears here when it is complete",
    connecting: "Connecting",
  },

  queued: {
    title: "Queued messages",
    waiting: "Sent after this answer",
    offline: "Sent as soon as the oracle can be reached",
    paused: "Paused: the previous answer did not finish",
    failed: "Not sent",
    sendNow: "Send now",
    remove: (message: string) => `Remove “${message}”`,
  },

  tool: {
    isRunning: "Working",
    done: "Done",
    error: "Failed",
    notRun: "Not run",
    arguments: "Arguments",
    result: "Result",
    names: {
      get_domain_card: "Read a domain",
      search_domains: "Searched the registry",
      explain_verification: "Looked at a verification",
      remember: "Remembered",
      search_memory: "Searched your memory",
      forget: "Forgot",
      forget_everything: "Forgot everything",
      set_user_preferences: "Changed your preferences",
    } as Readonly<Record<string, string>>,
    open: "Open in the registry",
    verified: "Verified",
    notVerified: "Not verified",
    noMatches: "No domain contains all these words.",
    missing: "What is missing",
    next: "What you can do",
    /** A tool of an MCP server. */
    ofServer: (tool: string, server: string) => `${tool} of ${server}`,
  },

  question: questionTexts,

  failures: failuresTexts,

  sessions: {
    start: "New conversation",
    empty: "No conversations yet",
    emptyLead: "Your first message starts one.",
    older: "Show older conversations",
    delete: (title: string) => `Delete “${title}”`,
    deleteTitle: "Delete this conversation?",
    deleteEffect: (title: string) =>
      `This permanently deletes “${title}” and all its messages. Facts that the oracle remembers from it are kept.`,
    deleteAction: "Delete the conversation",
    deleted: "The conversation was deleted.",
    untitled: "Untitled",
  },

  preferences: {
    lead: "How the oracle answers you in every conversation. Each change below is sent to the oracle as a message.",
    fields: {
      userName: "Your name",
      agentName: "The oracle's name",
      language: "Language",
      tone: "Tone",
      length: "Length",
      format: "Format",
      formality: "Formality",
      customInstructions: "Instructions",
    },
    notSet: "not set",
    changed: "Changed",
    changeTitle: "Change a preference",
    what: "Preference",
    value: "New value",
    valueHint: (sentence: string) => `Sends: ${sentence}`,
    placeholder: "[value]",
    ask: "Ask the oracle",
    choose: "Choose",
    sentences: {
      userName: (value: string) => `Call me ${value}.`,
      agentName: (value: string) => `Call yourself ${value}.`,
      language: (value: string) => `Always answer in ${value}.`,
      tone: (value: string) => `Use ${/^[aeiou]/i.test(value) ? "an" : "a"} ${value} tone in all answers.`,
      length: (value: string) => `Keep all answers ${value}.`,
      format: (value: string) => `Format all answers as ${value}.`,
      formality: (value: string) => `Be ${value} from now on.`,
      customInstructions: (value: string) => `From now on, ${value}.`,
    },
    formalities: ["casual", "friendly", "neutral", "semi-formal", "professional", "formal", "technical", "academic"],
    remove: "Ask the oracle in the chat to remove a preference.",
  },

  memory: {
    lead: "Facts that you asked the oracle to remember. It uses them in all later conversations.",
    empty: "No facts yet",
    emptyLead: "For example, say “Remember that my stove is a Kiboko 2”.",
    delete: (fact: string) => `Forget “${fact}”`,
    deleteTitle: "Forget this fact?",
    deleteEffect: (fact: string) => `This permanently deletes “${fact}”. Messages that mention it are kept.`,
    deleteAction: "Forget the fact",
    deleted: "The oracle has forgotten it.",
    deleteAll: "Forget everything",
    deleteAllTitle: "Forget everything?",
    deleteAllEffect: "This permanently deletes all facts in every conversation. Messages that mention them are kept.",
    deletedAll: "The oracle has forgotten everything.",
    more: "Show older facts",
  },

  credits: {
    lead: "The cost of your answers and your remaining credits.",
    off: "Answers are free: the “credits” plugin is off on this host.",
    balance: "Remaining",
    held: "Reserved for running answers",
    claims: "Cost of each answer",
    claimsOff: "This host sends no usage claims: the “claims” plugin is off.",
    noClaims: "No answer has cost anything yet.",
    amount: "Credits",
    when: "When",
    state: "State",
    states: { open: "Open", submitted: "Submitted", settled: "Settled" } as Readonly<Record<string, string>>,
    more: "Show older usage claims",
  },

  identity: {
    lead: "This browser created a key that identifies you in the chat. Anyone who has the key can act as you. There is no password and no recovery.",
    did: "Your DID",
    sealed: "The browser stores the key and never exports it, not even to this page.",
    readable:
      "This browser cannot protect Ed25519 keys, so the key is in its storage, where scripts on this page could read it.",
    temporary: "This browser stores nothing for this page, so you lose this identity when you close the tab.",
    protection: "Protection",
    forget: "Forget this identity",
    forgetTitle: "Forget this identity?",
    forgetEffect:
      "This permanently deletes its key and creates a new identity without conversations, memory or credits. Without the key, data that stays at the oracle can never be read or deleted.",
    deleteFirst: "First delete my conversations and everything that the oracle remembers about me",
    noMove: "The key cannot be moved to another browser.",
    forgotten: "The identity was forgotten. You have a new one.",
    services: "Other services",
    servicesLead: "The oracle can use these services on your behalf after you sign in.",
    signedIn: "Signed in",
    signedOut: "Not signed in",
    by: (issuer: string) => `by ${issuer}`,
    signOut: (server: string) => `Sign out of ${server}`,
    signOutEffect: (server: string) =>
      `The oracle forgets its access to ${server}. Revoke the access in the settings of ${server} as well.`,
    hasSignedOut: (server: string) => `You are signed out of ${server}.`,
  },

  inspector: {
    lead: "Traffic between this page and the oracle. Tokens are omitted.",
    run: "Run",
    none: "No run in this conversation since you opened the page",
    id: "Id",
    running: "running",
    took: "Time",
    milliseconds: (value: number) => `${value} ms`,
    calls: "Tool calls",
    frames: "Frames",
    resumed: "Resumed",
    socket: "Socket",
    connected: "connected",
    notConnected: "not connected",
    show: "Show",
    all: "Everything",
    kinds: {
      request: "Requests",
      frame: "Frames",
      socket: "Socket",
      run: "Run and queue",
      tokens: "Sign-in",
    },
    empty: "Nothing yet",
    copy: "Copy as JSON",
    clear: "Clear",
    status: (status: number, ms: number) => `${status === 0 ? "no answer" : status}, ${ms} ms`,
    newest: (shown: number, all: number) => `The newest ${shown} of ${all}`,
  },
};
