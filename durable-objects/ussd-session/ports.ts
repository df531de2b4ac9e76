/**
 * What a phone session needs of the rest of the gateway, as interfaces: accounts, digests, SMS, statistics. Domains and the
 * oracle are in platform/ports.ts. A refusal is a value; a failure in a Result means that the database does not
 * answer, which ends the session. No method stores a PIN.
 */
import type { Result } from "../../platform/result.ts";
import type { Language } from "./texts/dictionary.ts";

/** A login that was granted. It is revoked when an operator resets the PIN or another session changes it. */
export interface Login {
  readonly customerId: string;
  readonly epoch: number;
}

export interface Customer {
  readonly customerId: string;
  readonly name: string;
  /** Null: never chosen. */
  readonly language: Language | null;
  /** The customer's own did:key: subject towards the oracle, accepted by the registry as a controller. */
  readonly keyDid: string;
  /** Linked by an operator. */
  readonly linkedDid: string | null;
}

/**
 * Who is on the line. The audit log has both only as MACs; `phones` and the session's own record hold the number as it
 * is, since calls and messages need it.
 */
export interface Caller {
  readonly phoneNumber: string;
  /** `sessionName`: unique over all telecom gateways. */
  readonly sessionId: string;
}

export interface Dial extends Caller {
  readonly serviceCode: string;
  /** Stored by the session before it asks: the same dial again is the same visit. */
  readonly visitKey: string;
  /** The address of the telecom gateway, where it is not known what that sends. */
  readonly gateway?: string;
}

/** What a telecom gateway sends, as a session found out. */
export interface LearnedTextMode {
  /** Its address. */
  readonly gateway: string;
  readonly serviceCode: string;
  readonly mode: "cumulative" | "latest";
}

export interface DialOutcome {
  readonly language: Language | null;
  /** The name of the newest session of this phone and code that left a draft. */
  readonly resumable: string | null;
  /** How many accounts may still be created from this phone. */
  readonly accountsLeft: number;
  /** What the gateway sends; null where no session has found out. */
  readonly textMode: LearnedTextMode["mode"] | null;
}

export type LoginAttempt = {
  readonly caller: Caller;
  readonly pin: string;
} & (
  | {
      /** In any case. */
      readonly customerId: string;
      /** Changing the PIN asks for the current one, and a wrong one counts the same; `login` is the default. */
      readonly purpose?: "login" | "change-pin";
    }
  /** Whoever has forgotten the id of the only account that was made from their phone. */
  | { readonly purpose: "recover-id" }
);

export type LoginOutcome =
  | {
      readonly state: "accepted";
      readonly login: Login;
      readonly customer: Customer;
      /** The PIN is a temporary one: only choosing a new one may follow. */
      readonly mustChangePin: boolean;
    }
  /** To `recover-id`. */
  | { readonly state: "found"; readonly customerId: string }
  | { readonly state: "refused"; readonly attemptsUsed: number; readonly attemptsLeft: number }
  /** By this attempt or by earlier ones; whole minutes from now, at least 1. `now` when this attempt did it. */
  | { readonly state: "locked"; readonly minutes: number; readonly now: boolean }
  /** The temporary PIN was right but its time is over. */
  | { readonly state: "expired" };

export interface NewPin {
  readonly pin: string;
  readonly phoneNumber: string;
  /** The creation key or the change key that the PIN is for: it is of no use for another. */
  readonly effectKey: string;
  /** On a change: whose present PIN it must not be. */
  readonly login?: Login;
}

export type NewPinOutcome =
  /** `sealed` may be stored by the session: a hash, sealed, from which nothing but `matchesPin` can be learned. */
  | { readonly accepted: true; readonly sealed: string }
  | { readonly accepted: false; readonly problem: "shape" | "weak" | "same" };

export interface PinConfirmation {
  readonly pin: string;
  readonly sealed: string;
  readonly effectKey: string;
}

export interface NewAccount {
  readonly caller: Caller;
  /** Random, stored by the session before it asks: the same key again is the same account. */
  readonly creationKey: string;
  readonly name: string;
  readonly email: string | null;
  readonly language: Language | null;
  /** What `preparePin` answered for this creation key. */
  readonly sealedPin: string;
  /**
   * Continued after a dropped call. The account may exist already, with the PIN of the first attempt: what was entered
   * last replaces it, as long as nobody has logged in.
   */
  readonly resumed?: boolean;
}

export type CreationOutcome =
  | {
      readonly state: "created";
      readonly customerId: string;
      readonly name: string;
      /** The account existed, and has a PIN that is not the one entered now. */
      readonly pinKept?: true;
    }
  | { readonly state: "too-many" };

export interface PinChange {
  readonly caller: Caller;
  readonly login: Login;
  /** Random, stored by the session before it asks: the same key again is the same change. */
  readonly changeKey: string;
  readonly sealedPin: string;
}

/** One row of the index of sessions; times are Unix milliseconds. */
export interface SessionEntry extends Caller {
  readonly serviceCode: string;
  readonly state: string;
  readonly authenticated: boolean;
  /** Grows with each step; an entry with a smaller one than the stored changes nothing. */
  readonly revision: number;
  readonly startedAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  readonly resumeUntil: number | null;
  readonly endedAt: number | null;
}

/** `null` in an answer: the login has been revoked, so the session drops it. */
export interface AccountsPort {
  /** Counts the visit; one trip to the database. */
  dial(dial: Dial): Promise<Result<DialOutcome>>;
  learnTextMode(learned: LearnedTextMode): Promise<Result<void>>;
  login(attempt: LoginAttempt): Promise<Result<LoginOutcome>>;
  preparePin(pin: NewPin): Promise<Result<NewPinOutcome>>;
  /** Whether both entries of a new PIN are the same. */
  matchesPin(confirmation: PinConfirmation): Promise<Result<boolean>>;
  createAccount(account: NewAccount): Promise<Result<CreationOutcome>>;
  /** The login that remains; every other one of the customer is revoked. */
  changePin(change: PinChange): Promise<Result<Login | null>>;
  customer(login: Login): Promise<Result<Customer | null>>;
  /** Of the phone and of the customer. False: the login has been revoked, nothing was changed. */
  setLanguage(caller: Caller, login: Login, language: Language): Promise<Result<boolean>>;
  /** A UCAN by which the customer speaks to the oracle whose DID is `audience`: base64 of a CAR, good for minutes. */
  mintInvocation(login: Login, audience: string): Promise<Result<string | null>>;
  /** Counts a question to the oracle towards the limit per day; the same job again is the same question. */
  takeQuestion(login: Login, jobId: string): Promise<Result<"taken" | "limit" | null>>;
  saveSession(entry: SessionEntry): Promise<Result<void>>;
  /** Another phone or code presented the session's id. */
  reportBindRefusal(caller: Caller): Promise<Result<void>>;
}

/** Digests of texts that hold PINs: HMAC under a key of which the session knows only the id. */
export interface DigestPort {
  readonly keyId: string;
  /** Base64url under the key of that id; when the key is gone the empty text, which is no text's digest. */
  digest(text: string, keyId: string): Promise<string>;
}

export interface SmsPort {
  /** Resolves when the provider has accepted the message; `messageKey`: the same key again is the same message. */
  send(message: { readonly messageKey: string; readonly to: string; readonly text: string }): Promise<Result<void>>;
}

/** Worth a count of its own. */
export type Milestone = "login" | "account_created" | "question_answered" | "resumed";

/** What is counted of a session, without personal data. */
export interface SessionCounts {
  readonly language: Language;
  /** By screen: how often it was shown, and how often an input on it was rejected. */
  readonly screens: Readonly<Record<string, { readonly shown: number; readonly refused: number }>>;
  readonly steps: number;
  readonly resyncs: number;
  readonly overflows: number;
  readonly milestones: Readonly<Partial<Record<Milestone, number>>>;
  /** Replies by the upper bound of their time, milliseconds; `inf` beyond all. */
  readonly latencies: Readonly<Record<string, number>>;
  readonly latencySumMs: number;
}

export interface SessionReport extends SessionCounts {
  readonly lastScreen: string;
  readonly ending: "exit" | "error" | "expired" | "dropped" | "full";
}

export interface StatisticsPort {
  /** Once per session, when it is over. */
  report(report: SessionReport): Promise<Result<void>>;
}
