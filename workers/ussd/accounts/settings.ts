/** What every part of the accounts works with. Handed in, so that tests bring their own clock, chance and cost. */
import type { Logger } from "../../platform/log.ts";
import type { PinHashing } from "../pin.ts";
import type { KeyRing } from "../secrets/key-ring.ts";

export interface AccountSettings extends PinHashing {
  readonly database: D1Database;
  readonly ring: KeyRing;
  readonly limits: AccountLimits;
  /** Unix milliseconds. */
  clock(): number;
  readonly log: Logger;
  /** Told of each entry of the audit log that its customer is to hear of (notices.ts). Waited for by nobody. */
  noticeDue?(): void;
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
