/** Erasing a user: the data that a plugin keeps, for the receipt, and the users that a restore brought back. */

/** Data about an erased user that is kept. */
export interface KeptData {
  /** The data, as a noun phrase: `usage claims that are not settled`. */
  readonly what: string;
  /** The reason, and how long it is kept. */
  readonly why: string;
}

/** A user about whom a plugin stores data outside of its storage. */
export interface StoredUser {
  readonly did: string;
  /** When the oldest of this data was stored, RFC 3339: a user who came back after their erasure stays. */
  readonly since: string;
}

export interface StoredUserPage {
  readonly users: readonly StoredUser[];
  /** The `after` of the next page; absent on the last one. */
  readonly next?: string;
}
