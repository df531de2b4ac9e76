/**
 * The calls that cross the RPC boundary of a UssdSession. There is one object per telecom gateway and session id, named by
 * `sessionName` (platform/phone-session-name.ts).
 */
import type { PhoneReply } from "../../platform/phone-reply.ts";

/** Whose session it is: a request with another phone or code is not of it. */
export interface Binding {
  readonly sessionId: string;
  /** The served code that was dialled, without what was dialled after it: `*2233#` for `*2233*2*1#`. */
  readonly serviceCode: string;
  /** E.164 with its plus. */
  readonly phoneNumber: string;
}

export interface SessionRequest extends Binding {
  /** What was dialled behind the served code: `2*1`; empty unless codes are configured. */
  readonly dialledSuffix: string;
  /** As received: not trimmed, not cleaned. */
  readonly text: string;
  /** Where the gateway is known to send all inputs, or only the latest; else the configuration says. */
  readonly mode?: "cumulative" | "latest";
  /** The gateway marks first requests, and this is none: an empty text is an empty input. */
  readonly isInput?: true;
  /** The gateway marks first requests, and this is one: a new call, whatever was dialled with the code. */
  readonly isStart?: true;
  /** The address that asks, where what its gateway sends has to be found out: see `mode`. */
  readonly gateway?: string;
  /** Whose gateway asks, where it has an adapter of its own. */
  readonly provider?: string;
  /** The gateway's own id of the request: the same one again is the same request. */
  readonly requestId?: string;
  /** The whole request as received, where the gateway neither sends all inputs nor numbers its requests. */
  readonly raw?: string;
  /** The gateway named no code: the session's is meant, and without a session the request is invalid. */
  readonly codeUnknown?: true;
}

/** A gateway reports that a call is over. */
export interface HangUp {
  readonly provider: string;
  /** Where the gateway names the phone. */
  readonly phoneNumber?: string;
}

export interface SessionAnswer extends PhoneReply {
  /** For the log; no member of it is personal. */
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
  /** The last body without prefix; names, customer ids and answers are left out when masked. */
  readonly message: string;
}

/**
 * What a session leaves to continue with when the line drops: typed data of an account that is being created, a question
 * that the oracle is working on, or a new Customer ID. Never a PIN, never a login.
 */
export type Draft = CreationDraft | QuestionDraft | CreatedDraft;

/** The account exists, and its Customer ID was shown on a screen that nothing has answered yet. */
export interface CreatedDraft {
  readonly kind: "created";
  readonly customerId: string;
}

export interface CreationDraft {
  readonly kind: "creation";
  readonly step: "emailEntry" | "pinEntry";
  readonly name: string;
  /** Null: skipped. */
  readonly email: string | null;
  /** Whoever continues creates the same account, however often. Absent in drafts stored before it existed. */
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
  /** Who fetches: the same claim again gets the same draft, another one nothing. */
  readonly claim: string;
  /**
   * What became of a draft that this claim got before. `kept`: its session has stored a new Customer ID, which until then other
   * claims get too. `returned`: it came too late, and the next dial is offered it.
   */
  readonly outcome?: "kept" | "returned";
}

export interface UssdSessionRpc {
  handle(request: SessionRequest): Promise<SessionAnswer>;
  /**
   * The text is longer than a text may be. An input that is too long for its step is asked for again; any other text closes
   * the session of this binding, whose draft stays.
   */
  handleLongText(request: SessionRequest): Promise<SessionAnswer>;
  /** Only the text of a request was invalid: the session of this binding is closed and its draft stays. */
  close(binding: Binding): Promise<void>;
  /** The gateway reports the end of a call. A session of another phone or gateway stays as it is. */
  hangUp(end: HangUp): Promise<void>;
  /** Null when there is no live session here. */
  describe(masked: boolean): Promise<SessionDescription | null>;
  claimDraft(claim: DraftClaim): Promise<Draft | null>;
}
