/** The state of a handset, for the components that render it. */
import type { FormatName, FormattedRequest, Reply, TextMode } from "../../../shared/gateway-formats.ts";
import type { RecordedStep } from "./session-recording.ts";

/** The phone's number, its code, and the format of its telecom gateway. */
export interface Line {
  readonly phoneNumber: string;
  readonly serviceCode: string;
  readonly format: FormatName;
  readonly mode: TextMode;
}

export interface Network {
  /** Milliseconds of extra delay of each reply on its way to the phone. */
  readonly delay: number;
  /** The next reply is lost on its way. */
  readonly losesNext: boolean;
}

/**
 * - `idle`: nothing is dialled.
 * - `waiting`: a request is under way.
 * - `live`: the service waits for an input.
 * - `ended`: the service closed the session.
 * - `unanswered`: no reply came, or none for a phone.
 */
export type Phase = "idle" | "waiting" | "live" | "ended" | "unanswered";

export type Trouble =
  | { readonly kind: "not-a-code" }
  | { readonly kind: "lost" }
  | { readonly kind: "no-answer" }
  | { readonly kind: "too-many"; readonly seconds: number }
  | { readonly kind: "refused"; readonly status: number };

export type Act = "dial" | "input" | "repeat" | "hang-up" | "drop";

/** An event besides an answer. */
export type Remark = "same" | "different" | "first-answer" | "lost" | "held" | "unheard";

export interface LogEntry {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly act: Act;
  /** The inputs that were dialled after the code or typed, with PINs masked. */
  readonly typed: string;
  /** As sent, with PINs masked; absent if nothing was sent. */
  readonly request?: FormattedRequest;
  readonly answer?: HandsetAnswer;
  /** First line of the screen in the answer, such as `CON Main menu`. */
  readonly screen?: string;
  /** There was no answer. */
  readonly hasFailed?: boolean;
  readonly remarks: readonly Remark[];
}

export interface HandsetAnswer {
  readonly status: number;
  readonly text: string;
  /** Until the body was read. */
  readonly milliseconds: number;
  readonly requestId: string | undefined;
  /** Seconds to wait, if the server names them. */
  readonly retryAfter: number | undefined;
}

export interface HandsetState {
  readonly phase: Phase;
  readonly screen: Reply | undefined;
  readonly trouble: Trouble | undefined;
  /** The session of the open call, or of the last one. */
  readonly sessionId: string | undefined;
  readonly line: Line | undefined;
  /** The last Customer ID that a screen showed. */
  readonly customerId: string | undefined;
  readonly network: Network;
  /** Something was sent in the open call. */
  readonly canRepeat: boolean;
  readonly steps: readonly RecordedStep[];
  /** The newest first. */
  readonly log: readonly LogEntry[];
}

export const initialState: HandsetState = {
  phase: "idle",
  screen: undefined,
  trouble: undefined,
  sessionId: undefined,
  line: undefined,
  customerId: undefined,
  network: { delay: 0, losesNext: false },
  canRepeat: false,
  steps: [],
  log: [],
};
