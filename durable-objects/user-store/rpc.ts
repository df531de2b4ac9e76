/**
 * The plain data that crosses the RPC boundary of a UserVault, and the calls themselves. There is one vault per user
 * DID: the index of their sessions, their stored delegation, what counts towards their limits, the throttle of the prompt
 * to re-authorise and the list of their connected sockets. Vaults of other names hold the operator's budgets.
 */
import type { Delegation } from "../chat-session/rpc.ts";
import type { SessionRecord } from "../../protocol/records.ts";
import type { Admission } from "../../workers/platform/rate-window.ts";

export type { Admission };

/** A vault's answer together with the admission that it cost; `value` is absent when the request was refused. */
export interface Admitted<Value> {
  readonly admission: Admission;
  readonly value?: Value;
}

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  /** Counts all of the user's sessions, not only this page. */
  readonly total: number;
}

export interface StoredDelegation extends Delegation {
  /** Unix seconds. */
  readonly storedAt: number;
}

/** A connected socket of a session. */
export interface ConnectedSocket {
  readonly socketId: string;
  /** Unix milliseconds; of one that was lost and is back, when it came back. */
  readonly connectedAt: number;
}

/** A socket, and the session whose object holds it. */
export interface SocketPlace {
  readonly sessionId: string;
  readonly socketId: string;
}

/** What may be spent in a day (UTC); 0 means no limit. */
export interface DailyLimits {
  readonly turns: number;
  readonly tokens: number;
}

/** Whether a turn may start; if not, which limit it met. */
export type RunReservation =
  | { readonly reserved: true }
  | {
      readonly reserved: false;
      readonly exhausted: "turns" | "tokens";
      readonly limit: number;
      /** Seconds until the next day begins. */
      readonly retryAfter: number;
    };

/** What a turn that has ended used. */
export interface RunUsage {
  readonly runKey: string;
  readonly tokens: number;
}

/** A change of a listed session, and what its turns used since the last one. */
export interface SessionTouch {
  readonly title?: string;
  readonly lastUpdatedAt?: string;
  readonly spent?: readonly RunUsage[];
}

export interface UserStoreRpc {
  /** Counts a request whose work is done elsewhere. `limit` is per sliding minute. */
  admit(limit: number): Promise<Admission>;
  /** Newest `lastUpdatedAt` first, ties by sessionId. */
  listSessions(rateLimit: number, page: { limit: number; offset: number }): Promise<Admitted<SessionPage>>;
  /** Counts a request that starts a turn, and the turn. `runKey` makes a repeated call harmless. */
  countRun(rateLimit: number, runKey: string, limits: DailyLimits): Promise<Admitted<RunReservation>>;
  /** Counts a turn alone: what a budget of the operator's is asked. */
  reserveRun(runKey: string, limits: DailyLimits): Promise<RunReservation>;
  /** A counted turn did not start. */
  releaseRun(runKey: string): Promise<void>;
  /** What counted turns used; the last word on a turn counts. */
  recordUsage(spent: readonly RunUsage[]): Promise<void>;
  /**
   * Adds a session to the index, or replaces its record. Answers false, and stores nothing, when the session is new and
   * `limit` sessions are listed; 0 or nothing means no limit.
   */
  putSession(record: SessionRecord, limit?: number): Promise<boolean>;
  /** Changes a listed session; an unlisted one stays unlisted. Spending counts either way. */
  touchSession(sessionId: string, change: SessionTouch): Promise<void>;
  removeSession(sessionId: string): Promise<void>;
  /**
   * These are the session's sockets now, in place of those that were listed.
   * @returns the user's oldest sockets beyond 32, in whatever session: taken off the list, and the caller's to close.
   */
  listSockets(sessionId: string, sockets: readonly ConnectedSocket[]): Promise<readonly SocketPlace[]>;
  /** In place of the one before. Not counted: its check came before it, and that was. */
  storeDelegation(delegation: Delegation): Promise<void>;
  /** The stored delegation unless it has expired. */
  readDelegation(): Promise<StoredDelegation | null>;
  delegationStatus(rateLimit: number): Promise<Admitted<StoredDelegation | null>>;
  revokeDelegation(rateLimit: number): Promise<Admitted<null>>;
  /** When the user last revoked his delegation, Unix milliseconds: what was proven by one before that counts no more. */
  delegationRevokedAt(): Promise<number | null>;
  /** Whether the prompt to re-authorise may be shown now; showing it starts the throttle anew. */
  claimReauthorisationPrompt(throttleSeconds: number): Promise<boolean>;
}
