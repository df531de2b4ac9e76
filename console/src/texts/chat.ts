/** Words of the chat screen: the conversation and its panels. */
import { plural } from "./number.ts";

/** Words of the chat for what the oracle asks its user: approvals, forms, sign-ins. */
const questionTexts = {
  title: "May the oracle do this?",
  effect: (tool: string) =>
    `It will run “${tool}” with the values below, in your name. Nothing happens before you decide.`,
  effectAlone: (tool: string) =>
    `It will run “${tool}”, which takes no values, in your name. Nothing happens before you decide.`,
  approve: "Approve and run it",
  refuse: "Refuse: do not run it",
  approved: "You have approved it.",
  refused: "You have refused it. It is not run.",
  /** What a tool that this console knows does. */
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
  formLimit: "Without an answer within two minutes, the oracle declines for you. Never enter a password here.",
  submit: (server: string) => `Send this to ${server}`,
  sent: "Your answer is sent.",
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
    url: "Enter a whole address, such as https://example.org.",
  },
  openPage: (host: string) => `Open ${host}`,
  opened: "I have done it",
  decline: "Decline",
  declined: "You have declined.",
  answerAgain: "Your answer did not count; the oracle still waits for one. Answer again.",
  over: "A question is over: it was answered elsewhere, or nobody waits for it any more.",
  signIn: (server: string) => `Sign in to ${server}`,
  signInLead: (server: string) =>
    `The oracle needs you to sign in to ${server}. That opens in another tab; afterwards, come back here.`,
  signedIn: (server: string) => `You are signed in to ${server}.`,
  askAgain: "Ask again",
};

/** Words of the chat for what failed, and what to do then. */
const failuresTexts = {
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

interface AboutDomain {
  readonly did: string;
  readonly name?: string | undefined;
}

/** A model finds the domain by its DID, and people by its name. */
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
  toNewest: "To the newest message",
  code: "Code",
  message: "Message",
  send: "Send",
  stop: "Stop",
  stopped: "You stopped this answer.",
  sendAgain: "Send again",

  attach: {
    title: "Attached files",
    choose: "Attach files",
    /** Sent when there are files and no words. */
    alone: "Read the attached files.",
    remove: (name: string) => `Remove ${name}`,
    sending: (name: string) => `Sending ${name}`,
    wait: "Wait until the files have arrived, or remove them.",
    size: (bytes: number) =>
      bytes < 1_000
        ? `${bytes} bytes`
        : bytes < 1_000_000
          ? `${Math.round(bytes / 1_000)} kB`
          : `${(bytes / 1_000_000).toFixed(1)} MB`,
    tooMany: (most: number) => `A message has at most ${most} files.`,
    tooLarge: (megabytes: number) => `A file has at most ${megabytes} MB.`,
    wrongType: "The oracle reads images, PDF and text files only.",
    empty: "The file is empty.",
    notSent: "The file could not be sent. Attach it again.",
    unnamed: "File",
  },
  whatIsDomain: "What is a clean cooking domain?",
  aboutDomain: (about: AboutDomain) => `Tell me about ${called(about)}`,
  whyUnverified: (about: AboutDomain) => `Why is ${called(about)} not verified?`,
  howVerified: (about: AboutDomain) => `How was ${called(about)} verified?`,
  forgetAll: "Forget everything you remember",
  aboutLabel: ({ name }: AboutDomain) => `Tell me about ${name ?? "this domain"}`,
  builtIn: {
    before: "Built-in model: answers the suggestions and looks up domains. Set ",
    variable: "LLM_PROVIDER",
    after: " for a real one.",
  },

  connection: {
    reconnecting: "Reconnecting to the answer",
    disconnected: "The answer goes on at the server and appears here when it is complete",
    connecting: "Connecting",
  },

  queued: {
    title: "Waiting messages",
    waiting: "Sent after this answer",
    offline: "Sent as soon as the oracle can be reached",
    paused: "Paused: the answer before it did not finish",
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
    noMatches: "No domain has all these words.",
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
      `“${title}” and all its messages are deleted for good. What the oracle remembers from it stays in its memory.`,
    deleteAction: "Delete the conversation",
    deleted: "The conversation is deleted.",
    untitled: "Untitled",
  },

  preferences: {
    lead: "How the oracle answers you, in every conversation. It is changed by talking: a change below is sent as a message.",
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
    what: "What",
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
    remove: "To remove one, say so to the oracle in your own words.",
  },

  memory: {
    lead: "Facts that you asked the oracle to remember, for all your later conversations.",
    empty: "Nothing is remembered",
    emptyLead: "Say for example: “Remember that my stove is a Kiboko 2”.",
    delete: (fact: string) => `Forget “${fact}”`,
    deleteTitle: "Forget this fact?",
    deleteEffect: (fact: string) => `“${fact}” is deleted for good. Messages in which you said it stay where they are.`,
    deleteAction: "Forget the fact",
    deleted: "The oracle has forgotten it.",
    deleteAll: "Forget everything",
    deleteAllTitle: "Forget everything?",
    deleteAllEffect:
      "All facts are deleted for good, in every conversation. Messages in which you said them stay where they are.",
    deletedAll: "The oracle has forgotten everything.",
    more: "Show older facts",
  },

  credits: {
    lead: "What your answers cost, and what is left.",
    off: "This host does not charge: its plugin “credits” is off. Answers are free.",
    balance: "Left",
    held: "On hold for running answers",
    claims: "What each answer cost",
    claimsOff: "This host does not send claims to anybody: its plugin “claims” is off.",
    noClaims: "No answer has cost anything yet.",
    amount: "Credits",
    when: "When",
    state: "State",
    states: { open: "Open", submitted: "Submitted", settled: "Settled" } as Readonly<Record<string, string>>,
    more: "Show older claims",
  },

  identity: {
    lead: "You chat as a key that this browser made. Whoever has it is you; there is no password and no recovery.",
    did: "Your DID",
    sealed: "The key is kept by the browser and cannot be exported, not even by this page.",
    readable:
      "This browser cannot keep Ed25519 keys out of reach, so the key lies in its storage, where scripts of this page could read it.",
    temporary: "This browser keeps nothing for this page, so this identity is gone when you close the tab.",
    protection: "Protection",
    forget: "Forget this identity",
    forgetTitle: "Forget this identity?",
    forgetEffect:
      "Its key is deleted for good, and a new identity without conversations, memory and credits begins. Without the key nobody can read or delete what stays at the oracle.",
    deleteFirst: "Delete my conversations and what the oracle remembers of me first",
    noMove: "The key cannot be moved to another browser.",
    forgotten: "The identity is forgotten. You have a new one.",
    services: "Other services",
    servicesLead: "The oracle may use these in your name once you have signed in.",
    signedIn: "Signed in",
    signedOut: "Not signed in",
    by: (issuer: string) => `by ${issuer}`,
    signOut: (server: string) => `Sign out of ${server}`,
    signOutEffect: (server: string) =>
      `The oracle forgets its access to ${server}. What ${server} itself keeps of it you revoke there.`,
    hasSignedOut: (server: string) => `You are signed out of ${server}.`,
  },

  inspector: {
    lead: "What goes between this page and the oracle. Tokens are left out.",
    run: "Run",
    none: "No run in this conversation since the page was opened",
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
