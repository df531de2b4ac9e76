/** The plain data that crosses the RPC boundary of a user vault; the calls are in user-vault.ts. */
import type { Delegation } from "./framework/delegation.ts";
import type { SessionRecord } from "../protocol/records.ts";
import type { Admission } from "../platform/rate-window.ts";

export type { Admission };

/** The result of a call that counts as a request; `value` is absent when the rate limit refused it. */
export interface Counted<Value> {
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

/** What is kept of a delegation that is revoked. */
export interface RevocableDelegation {
  readonly cid: string;
  /** Unix seconds; null when it never expires. */
  readonly expiration: number | null;
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

/**
 * What may be spent in a day (UTC), and how many runs may be active at once; 0 means no limit. `turns` counts runs: the names of members
 * stay, since objects of two versions call each other during a deployment.
 */
export interface DailyLimits {
  readonly turns: number;
  readonly tokens: number;
  readonly running?: number;
}

/** Tokens that a run may use. */
export interface TokenGrant {
  /** In all, with what it has used before. */
  readonly tokens: number;
  /** When the reservation ends, Unix milliseconds, if it is not renewed. */
  readonly until: number;
}

/** What a run wants to have reserved, tokens of the whole run. */
export interface TokenRequest {
  readonly most: number;
  readonly least: number;
  /** What it has used. */
  readonly used: number;
  /** When the run was accepted, Unix milliseconds. */
  readonly since: number;
  /** False for work beside runs, such as a title. */
  readonly isTurn: boolean;
}

/**
 * Whether a run may start; if not, which limit it met. `running`: too many runs of the user have not ended. `reserved`: what is
 * left of the day's tokens is reserved for runs that have not ended.
 */
export type RunReservation =
  | { readonly reserved: true; readonly grant?: TokenGrant }
  | {
      readonly reserved: false;
      readonly exhausted: "turns" | "tokens" | "running" | "reserved";
      readonly limit: number;
      /** Seconds until another try may succeed: at the latest when the next day begins. */
      readonly retryAfter: number;
    };

/** What a run that has ended used. */
export interface RunUsage {
  readonly runKey: string;
  readonly tokens: number;
  /** When it started, Unix milliseconds: a run of today counts even if a crash has lost that it was counted. */
  readonly since?: number;
}

/** One page of a plugin's keys; `after` is its last key when there are more. */
export interface PluginKeyPage {
  readonly keys: readonly string[];
  readonly after?: string;
}

/** A text of a plugin; `details` is JSON. */
export interface PluginText {
  readonly id: string;
  readonly text: string;
  readonly details: string;
  /** Unix milliseconds. */
  readonly storedAt: number;
}

/** One page of a plugin's texts; `after` is the place of its last one when there are more. */
export interface PluginTextPage {
  readonly texts: readonly PluginText[];
  readonly after?: number;
}

/** What a run of a session used; `payer`: whom it counts for, when that is not the session's owner. */
export interface SessionSpending extends RunUsage {
  readonly payer?: string;
}

/** A change of a listed session, and what its runs used since the last one. */
export interface SessionTouch {
  readonly title?: string;
  readonly lastUpdatedAt?: string;
  readonly spent?: readonly SessionSpending[];
}
