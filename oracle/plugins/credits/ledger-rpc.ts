/** The calls of a payer's ledger, and what they answer. Amounts are whole micro-credits: a credit has a million. */

/** What a payer has: free, and on hold for turns that have not ended. */
export interface LedgerSummary {
  readonly balance: number;
  readonly held: number;
}

/** What a subscription service said that the payer has left. */
export interface CreditReport {
  readonly credits: number;
  /** Unix milliseconds. */
  readonly readAt: number;
}

export interface HoldRequest {
  readonly runId: string;
  readonly amount: number;
  /** With so much or less left, nothing more is held. */
  readonly minimum: number;
  /** What a payer without a ledger begins with; nothing when a service reports. */
  readonly initial: number;
  /** Replaces the balance, less what the service cannot know yet. */
  readonly report?: CreditReport;
}

/** `unknown`: nothing was ever granted. `low`: too little is left. `ended`: that turn is over, and settled. */
export type HoldAnswer =
  | { readonly held: true }
  | { readonly held: false; readonly reason: "unknown" | "low" | "ended" };

export interface CoverAnswer {
  readonly covered: boolean;
  /** What is now on hold for the turn. */
  readonly held: number;
}

export interface SettledRun {
  /** What was taken: the cost, as far as hold and balance reach. */
  readonly charged: number;
  /** Whether it had been settled before. */
  readonly repeated: boolean;
}

/** `conflict`: another amount was granted under that key. `limit`: no ledger holds that much. */
export type GrantAnswer =
  | { readonly granted: true; readonly repeated: boolean; readonly balance: number }
  | { readonly granted: false; readonly reason: "conflict" | "limit" };

/** One object per payer, named by their DID. */
export interface CreditLedgerRpc {
  /** Puts credits on hold for a turn before it is accepted. The same again changes nothing. */
  hold(request: HoldRequest): Promise<HoldAnswer>;
  /**
   * The turn runs: its hold stays until it is settled, and is raised to `most`, or as far as the balance reaches. Where that is
   * less than `least`, nothing is raised and the turn is not covered.
   */
  cover(runId: string, least: number, most?: number): Promise<CoverAnswer>;
  /**
   * The turn has ended and cost that much. What was on hold beyond it is free again. Once per turn. Turns that were settled and
   * claimed before `retentionMs` are removed, a few in each call; undefined keeps all.
   */
  settle(runId: string, cost: number, retentionMs?: number): Promise<SettledRun>;
  /** Once per key. */
  grant(key: string, amount: number): Promise<GrantAnswer>;
  /** The subscription service knows of these turns since `at`, so its next report contains them. */
  markReported(runIds: readonly string[], at: number): Promise<void>;
  /** `initial`: what is shown of a payer without a ledger. */
  summary(initial: number): Promise<LedgerSummary>;
}
