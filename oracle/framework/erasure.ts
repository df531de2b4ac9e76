/** Erasing a user: the data that a plugin keeps, for the receipt. */

/** Data about an erased user that is kept. */
export interface KeptData {
  /** The data, as a noun phrase: `usage claims that are not settled`. */
  readonly what: string;
  /** The reason, and how long it is kept. */
  readonly why: string;
}
