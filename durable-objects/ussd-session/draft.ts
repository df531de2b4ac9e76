/**
 * What a session leaves to go on with when the line drops (contract/ussd.md section 4): typed data of an account that
 * is being created, or a question that the oracle has in work. Never a PIN, never a login.
 */
export interface CreationDraft {
  readonly kind: "creation";
  readonly step: "emailEntry" | "pinEntry";
  readonly name: string;
  /** Null: skipped. */
  readonly email: string | null;
  /** Whoever continues creates the same account, however often. Absent in drafts stored before it existed. */
  readonly creationKey?: string;
}

/** Shown to the customer who asked, nobody else. */
export interface QuestionDraft {
  readonly kind: "question";
  readonly customerId: string;
  readonly jobId: string;
  /** Unix milliseconds. */
  readonly askedAt: number;
}

export type Draft = CreationDraft | QuestionDraft;
