/** The dependencies of all account functions. Parameters, so that tests can set clock, random bytes and hash cost. */
import type { Database } from "../../../platform/database/database.ts";
import type { Logger } from "../../../platform/log.ts";
import type { KeyRing } from "../key-ring.ts";

/** How long records stay, in milliseconds; a member that is missing is kept forever. */
export interface Retention {
  /** Entries of the audit log. */
  readonly records?: number;
  /** Numbers after their last call. Their accounts stay, and get a number again at the next login. */
  readonly phones?: number;
}

export interface AccountSettings {
  readonly database: Database;
  readonly ring: KeyRing;
  readonly limits: AccountLimits;
  /** Everything is kept without it. */
  readonly retention?: Retention;
  /** Rounds of PBKDF2 for a new PIN. */
  readonly iterations: number;
  random(bytes: number): Uint8Array<ArrayBuffer>;
  /** Unix milliseconds. */
  clock(): number;
  readonly log: Logger;
  /** Called after each audit entry that causes a security notice. Not awaited. */
  onSecurityEvent?(): void;
}

export interface AccountLimits {
  /** Wrong PINs until the account is locked. */
  readonly pinAttempts: number;
  /** Seconds of the first lock; each further one is twice as long. */
  readonly lockSeconds: number;
  readonly temporaryPinSeconds: number;
  readonly accountsPerPhone: number;
  /** Questions to the oracle per customer in 24 hours. */
  readonly questionsPerDay: number;
}
