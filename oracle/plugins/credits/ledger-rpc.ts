/** The RPC interface of a payer's ledger. Amounts are whole micro-credits: a million per credit. */

/** A payer's credits: free, and on hold for turns that have not ended. */
export interface LedgerSummary {
  readonly balance: number;
  readonly held: number;
}

/** The payer's remaining credits, as a subscription service reports them. */
export interface CreditReport {
  readonly credits: number;
  /** Unix milliseconds. */
  readonly readAt: number;
}

export interface HoldRequest {
  readonly runId: string;
  readonly amount: number;
  /** At or below this balance, no further hold is made. */
  readonly minimum: number;
  /** The starting balance of a payer without a ledger; not used if a service reports. */
  readonly initial: number;
  /** Replaces the balance, less the turns that the service cannot know yet. */
  readonly report?: CreditReport;
}

/** `unknown`: no credits were ever granted. `low`: too few are left. `ended`: the turn is already settled. */
export type HoldAnswer =
  | { readonly held: true }
  | { readonly held: false; readonly reason: "unknown" | "low" | "ended" };

export interface CoverAnswer {
  readonly covered: boolean;
  /** The amount on hold for the turn. */
  readonly held: number;
}

export interface SettledRun {
  /** The amount taken: the cost, limited by hold and balance. */
  readonly charged: number;
  /** Whether the turn had been settled before. */
  readonly repeated: boolean;
}

/** `conflict`: another amount was granted under that key. `limit`: the amount exceeds a ledger's maximum. */
export type GrantAnswer =
  | { readonly granted: true; readonly repeated: boolean; readonly balance: number }
  | { readonly granted: false; readonly reason: "conflict" | "limit" };

/** One object per payer, named by the payer's DID. */
export interface CreditLedgerRpc {
  /** Puts credits on hold for a turn before it is accepted. A repeated call changes nothing. */
  hold(request: HoldRequest): Promise<HoldAnswer>;
  /**
   * Confirms that the turn runs: its hold stays until it is settled, and is raised to `most`, or as far as the balance reaches. If
   * that is less than `least`, nothing is raised and the turn is not covered.
   */
  cover(runId: string, least: number, most?: number): Promise<CoverAnswer>;
  /**
   * Charges the cost of an ended turn, and frees the rest of its hold. Once per turn. Turns that were settled and claimed before
   * `retentionMs` are removed, a few in each call; undefined keeps all.
   */
  settle(runId: string, cost: number, retentionMs?: number): Promise<SettledRun>;
  /** Once per key. */
  grant(key: string, amount: number): Promise<GrantAnswer>;
  /** The subscription service has known these turns since `at`, so its next report contains them. */
  markReported(runIds: readonly string[], at: number): Promise<void>;
  /** `initial`: the balance shown for a payer without a ledger. */
  summary(initial: number): Promise<LedgerSummary>;
}
