/**
 * The interfaces that a phone session needs from the rest of the gateway: accounts, digests, SMS, statistics. Domains
 * and the oracle are in platform/ports.ts. A refusal is a value; a failure in a Result means that the database is
 * unavailable, or full (`storage_full`), which ends the session. No method stores a PIN.
 */
import type { Result } from "../../platform/result.ts";
import type { Language } from "./texts/dictionary.ts";

/** A granted login. It is revoked when an operator resets the PIN or another session changes it. */
export interface Login {
  readonly customerId: string;
  readonly epoch: number;
}

export interface Customer {
  readonly customerId: string;
  readonly name: string;
  /** Null if never chosen. */
  readonly language: Language | null;
  /**
   * The customer's own did:key: the subject in requests to the oracle, and accepted by the registry as a controller.
   */
  readonly keyDid: string;
  /** Linked by an operator. */
  readonly linkedDid: string | null;
}

/**
 * The caller. The audit log stores both members only as MACs; `phones` and the session's own record store the number in
 * clear, because calls and messages need it.
 */
export interface Caller {
  readonly phoneNumber: string;
  /** `sessionName`: unique over all telecom gateways. */
  readonly sessionId: string;
}

export interface Dial extends Caller {
  readonly serviceCode: string;
  /** Stored by the session before the call, so that a repeated dial counts as one visit. */
  readonly visitKey: string;
  /** The address of the telecom gateway, if its text mode is unknown. */
  readonly gateway?: string;
}

/** The text mode of a telecom gateway, as a session detected it. */
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
  /** How many accounts can still be created from this phone. */
  readonly accountsLeft: number;
  /** The gateway's text mode; null if no session has detected it. */
  readonly textMode: LearnedTextMode["mode"] | null;
}

export type LoginAttempt = {
  readonly caller: Caller;
  readonly pin: string;
} & (
  | {
      /** The id in upper or lower case. */
      readonly customerId: string;
      /** Changing the PIN asks for the current one, and a wrong one counts as at login; `login` is the default. */
      readonly purpose?: "login" | "change-pin";
    }
  /** For a caller who has forgotten the id of the only account created from their phone. */
  | { readonly purpose: "recover-id" }
);

export type LoginOutcome =
  | {
      readonly state: "accepted";
      readonly login: Login;
      readonly customer: Customer;
      /** The PIN is temporary: the caller must choose a new one. */
      readonly mustChangePin: boolean;
    }
  /** The result of `recover-id`. */
  | { readonly state: "found"; readonly customerId: string }
  | { readonly state: "refused"; readonly attemptsUsed: number; readonly attemptsLeft: number }
  /** By this attempt or by earlier ones; whole minutes from now, at least 1. `now` if this attempt caused the lock. */
  | { readonly state: "locked"; readonly minutes: number; readonly now: boolean }
  /** The temporary PIN was correct but has expired. */
  | { readonly state: "expired" };

export interface NewPin {
  readonly pin: string;
  readonly phoneNumber: string;
  /** The creation key or the change key for which the PIN is valid; it is useless for any other. */
  readonly effectKey: string;
  /** For a change: the new PIN must differ from this customer's current PIN. */
  readonly login?: Login;
}

export type NewPinOutcome =
  /** `sealed` can be stored by the session: a sealed hash that only `matchesPin` can use. */
  | { readonly accepted: true; readonly sealed: string }
  | { readonly accepted: false; readonly problem: "shape" | "weak" | "same" };

export interface PinConfirmation {
  readonly pin: string;
  readonly sealed: string;
  readonly effectKey: string;
}

export interface NewAccount {
  readonly caller: Caller;
  /** Random, stored by the session before the call, so that repeating the call refers to the created account. */
  readonly creationKey: string;
  readonly name: string;
  readonly email: string | null;
  readonly language: Language | null;
  /** The result of `preparePin` for this creation key. */
  readonly sealedPin: string;
  /**
   * Continued after a dropped call. The account may already exist with the PIN of the first attempt: the last entered
   * PIN replaces it, unless someone has logged in.
   */
  readonly resumed?: boolean;
}

export type CreationOutcome =
  | {
      readonly state: "created";
      readonly customerId: string;
      readonly name: string;
      /** The account existed, and its PIN differs from the one entered now. */
      readonly pinKept?: true;
    }
  | { readonly state: "too-many" };

export interface PinChange {
  readonly caller: Caller;
  readonly login: Login;
  /** Random, stored by the session before the call, so that a repeated call is one change. */
  readonly changeKey: string;
  readonly sealedPin: string;
}

/** One row of the index of sessions; times are Unix milliseconds. */
export interface SessionEntry extends Caller {
  readonly serviceCode: string;
  readonly state: string;
  readonly authenticated: boolean;
  /** Grows with each step; an entry with a smaller revision than the stored one changes nothing. */
  readonly revision: number;
  readonly startedAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  readonly resumeUntil: number | null;
  readonly endedAt: number | null;
}

/** A `null` result means that the login has been revoked, so the session drops it. */
export interface AccountsPort {
  /** Counts the visit in one round trip to the database. */
  dial(dial: Dial): Promise<Result<DialOutcome>>;
  learnTextMode(learned: LearnedTextMode): Promise<Result<void>>;
  login(attempt: LoginAttempt): Promise<Result<LoginOutcome>>;
  preparePin(pin: NewPin): Promise<Result<NewPinOutcome>>;
  /** Whether both entries of a new PIN are equal. */
  matchesPin(confirmation: PinConfirmation): Promise<Result<boolean>>;
  createAccount(account: NewAccount): Promise<Result<CreationOutcome>>;
  /** The remaining login; all other logins of the customer are revoked. */
  changePin(change: PinChange): Promise<Result<Login | null>>;
  customer(login: Login): Promise<Result<Customer | null>>;
  /**
   * Sets the language of the phone and of the customer. False if the login has been revoked; nothing was changed then.
   */
  setLanguage(caller: Caller, login: Login, language: Language): Promise<Result<boolean>>;
  /**
   * A UCAN with which the customer authenticates to the oracle whose DID is `audience`: base64 of a CAR, valid for
   * minutes.
   */
  mintInvocation(login: Login, audience: string): Promise<Result<string | null>>;
  /** Counts a question to the oracle towards the daily limit; repeating a job counts once. */
  takeQuestion(login: Login, jobId: string): Promise<Result<"taken" | "limit" | null>>;
  saveSession(entry: SessionEntry): Promise<Result<void>>;
  /** Another phone or code presented the session's id. */
  reportBindRefusal(caller: Caller): Promise<Result<void>>;
}

/** Digests of texts that contain PINs: HMAC under a key of which the session knows only the id. */
export interface DigestPort {
  readonly keyId: string;
  /** Base64url under the key with that id. If the key is gone, the empty text, which is never a digest. */
  digest(text: string, keyId: string): Promise<string>;
}

export interface SmsPort {
  /** Resolves when the provider has accepted the message; a repeated `messageKey` refers to one message. */
  send(message: { readonly messageKey: string; readonly to: string; readonly text: string }): Promise<Result<void>>;
}

/** Events that are counted separately. */
export type Milestone = "login" | "account_created" | "question_answered" | "resumed";

/** The counters of a session, without personal data. */
export interface SessionCounts {
  readonly language: Language;
  /** By screen: how often it was shown, and how often an input on it was rejected. */
  readonly screens: Readonly<Record<string, { readonly shown: number; readonly refused: number }>>;
  readonly steps: number;
  readonly resyncs: number;
  readonly overflows: number;
  readonly milestones: Readonly<Partial<Record<Milestone, number>>>;
  /** Replies by the upper bound of their duration in milliseconds; `inf` for longer ones. */
  readonly latencies: Readonly<Record<string, number>>;
  readonly latencySumMs: number;
}

export interface SessionReport extends SessionCounts {
  readonly lastScreen: string;
  readonly ending: "exit" | "error" | "expired" | "dropped" | "full";
}

export interface StatisticsPort {
  /** Once per session, when it has ended. */
  report(report: SessionReport): Promise<Result<void>>;
}
