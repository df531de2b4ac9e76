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

/** The stored data of a revoked delegation. */
export interface RevocableDelegation {
  readonly cid: string;
  /** Unix seconds; null when it never expires. */
  readonly expiration: number | null;
}

/** A connected socket of a session. */
export interface ConnectedSocket {
  readonly socketId: string;
  /** When it connected, in Unix milliseconds; for a recovered socket, when it returned. */
  readonly connectedAt: number;
}

/** A socket, and the session whose object holds it. */
export interface SocketPlace {
  readonly sessionId: string;
  readonly socketId: string;
}

/**
 * The limits of a day (UTC), and the maximum number of concurrent runs; 0 means no limit. `turns` counts runs: the names of members
 * stay, since objects of two versions call each other during a deployment.
 */
export interface DailyLimits {
  readonly turns: number;
  readonly tokens: number;
  readonly running?: number;
}

/** Tokens that a run may use. */
export interface TokenGrant {
  /** In total, including earlier usage. */
  readonly tokens: number;
  /** When the reservation ends, Unix milliseconds, if it is not renewed. */
  readonly until: number;
}

/** The reservation that a run requests, in tokens for the whole run. */
export interface TokenRequest {
  readonly most: number;
  readonly least: number;
  /** The tokens that it has used. */
  readonly used: number;
  /** When the run was accepted, Unix milliseconds. */
  readonly since: number;
  /** False for work outside runs, such as a title. */
  readonly isTurn: boolean;
}

/**
 * Whether a run may start; if not, the limit that it reached. `running`: too many runs of the user have not ended. `reserved`:
 * the rest of the day's tokens is reserved for runs that have not ended.
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

/** The usage of a run that has ended. */
export interface RunUsage {
  readonly runKey: string;
  readonly tokens: number;
  /** When it started, Unix milliseconds: a run of today counts even if a crash has lost its count. */
  readonly since?: number;
}

/** One page of a plugin's keys; `after` is its last key if more follow. */
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

/** One page of a plugin's texts; `after` is the position of its last text if more follow. */
export interface PluginTextPage {
  readonly texts: readonly PluginText[];
  readonly after?: number;
}

/** The usage of a run of a session; `payer` is the DID that it counts against, if that is not the session's owner. */
export interface SessionSpending extends RunUsage {
  readonly payer?: string;
}

/** A change of a listed session, and the usage of its runs since the last change. */
export interface SessionTouch {
  readonly title?: string;
  readonly lastUpdatedAt?: string;
  readonly spent?: readonly SessionSpending[];
}
