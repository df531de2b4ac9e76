/** The classes of objects that a backup contains. Also for the commands, which know no types of the Worker. */

/** Classes of objects that cannot be rebuilt, in the order in which a restore writes them. */
export const backedUpClasses = ["CreditLedger", "UserVault", "ChatSession", "Outbox"] as const;
export type BackedUpClass = (typeof backedUpClasses)[number];

/** Those whose names only the table `stored_objects` lists. */
export const listedClasses = ["CreditLedger", "UserVault"] as const satisfies readonly BackedUpClass[];

/** The binding of each class. */
export const bindingOf = {
  CreditLedger: "CREDIT_LEDGER",
  UserVault: "USER_VAULT",
  ChatSession: "CHAT_SESSION",
  Outbox: "OUTBOX",
} as const satisfies Record<BackedUpClass, string>;
