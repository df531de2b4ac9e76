/**
 * The RPC interface of a UssdSession. There is one object per telecom gateway and session id, named by `sessionName`
 * (platform/phone-session-name.ts).
 */
import type { PhoneReply } from "../../platform/phone-reply.ts";

/** The owner of a session: a request with another phone or code does not belong to it. */
export interface Binding {
  readonly sessionId: string;
  /** The served code that was dialled, without the inputs after it: `*2233#` for `*2233*2*1#`. */
  readonly serviceCode: string;
  /** E.164 with its plus. */
  readonly phoneNumber: string;
}

export interface SessionRequest extends Binding {
  /** The inputs dialled after the served code: `2*1`; empty unless codes are configured. */
  readonly dialledSuffix: string;
  /** The text as received: neither trimmed nor cleaned. */
  readonly text: string;
  /** Whether the gateway sends all inputs or only the latest, if known; otherwise the configuration decides. */
  readonly mode?: "cumulative" | "latest";
  /** The gateway marks first requests, and this is not one: an empty text is an empty input. */
  readonly isInput?: true;
  /** The gateway marks first requests, and this is one: a new call, whatever was dialled with the code. */
  readonly isStart?: true;
  /** The requesting address, if its gateway's text mode must be detected: see `mode`. */
  readonly gateway?: string;
  /** The provider of the gateway, if it has its own adapter. */
  readonly provider?: string;
  /** The gateway's own id of the request, by which a repetition is recognised. */
  readonly requestId?: string;
  /** The whole request as received, if the gateway neither sends all inputs nor numbers its requests. */
  readonly raw?: string;
  /** The gateway named no code: the session's code is used, and without a session the request is invalid. */
  readonly codeUnknown?: true;
}

/** A gateway's report that a call has ended. */
export interface HangUp {
  readonly provider: string;
  /** Present if the gateway names the phone. */
  readonly phoneNumber?: string;
}

export interface SessionAnswer extends PhoneReply {
  /** The outcome for the log; no member of it is personal. */
  readonly outcome: "answered" | "replayed" | "refused" | "failed" | "overrun" | "rate_limited";
  readonly state?: string;
  readonly screen?: string;
}

/** A live session as operators see it. */
export interface SessionDescription {
  readonly sessionId: string;
  readonly phoneNumber: string;
  readonly serviceCode: string;
  readonly state: string;
  readonly path: string;
  readonly isAuthenticated: boolean;
  /** ISO 8601. */
  readonly sessionStartTime: string;
  /** The last body without prefix; masked, it omits names, customer ids and answers. */
  readonly message: string;
}

/**
 * The data with which a caller can continue after the line drops: typed data of an account that is being created, a
 * question that the oracle is answering, or a new Customer ID. Never a PIN, never a login.
 */
export type Draft = CreationDraft | QuestionDraft | CreatedDraft;

/** The account exists, and its Customer ID was shown on a screen that has not been answered yet. */
export interface CreatedDraft {
  readonly kind: "created";
  readonly customerId: string;
}

export interface CreationDraft {
  readonly kind: "creation";
  readonly step: "emailEntry" | "pinEntry";
  readonly name: string;
  /** Null if skipped. */
  readonly email: string | null;
  /** Continuing creates one account, however often it is repeated. Absent in drafts of an older release. */
  readonly creationKey?: string;
}

/** Shown only to the customer who asked. */
export interface QuestionDraft {
  readonly kind: "question";
  readonly customerId: string;
  readonly jobId: string;
  /** Unix milliseconds. */
  readonly askedAt: number;
}

export interface DraftClaim {
  readonly phoneNumber: string;
  readonly serviceCode: string;
  /** Identifies the fetching session: repeating the claim returns the draft, another claim returns nothing. */
  readonly claim: string;
  /**
   * The outcome of a draft that this claim received before. `kept`: its session has stored a new Customer ID, which
   * until then other claims receive too. `returned`: it came too late, and the next dial is offered it.
   */
  readonly outcome?: "kept" | "returned";
}

/** A person whose calls are erased. */
export interface ForgottenCaller {
  /** The person's own numbers. */
  readonly phoneNumbers: readonly string[];
  /** Their account, with which they may have logged in from another phone. */
  readonly customerId?: string;
}

export interface UssdSessionRpc {
  handle(request: SessionRequest): Promise<SessionAnswer>;
  /**
   * The text exceeds the maximum length. An input that is too long for its step is asked for again; any other text
   * closes the session of this binding, whose draft is kept.
   */
  handleLongText(request: SessionRequest): Promise<SessionAnswer>;
  /** Only the text of a request was invalid: the session of this binding is closed and its draft is kept. */
  close(binding: Binding): Promise<void>;
  /** The gateway reports the end of a call. A session of another phone or gateway is unaffected. */
  hangUp(end: HangUp): Promise<void>;
  /** Null if there is no live session here. */
  describe(masked: boolean): Promise<SessionDescription | null>;
  claimDraft(claim: DraftClaim): Promise<Draft | null>;
  /**
   * Erases a call of this person, even a live one. `other`: the call belongs to someone else; `busy`: it could not be
   * erased now.
   */
  forget(caller: ForgottenCaller): Promise<"forgotten" | "other" | "busy">;
}
