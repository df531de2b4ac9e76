/** The calls of an object that a backup contains, and the objects that it contains. */
import type { Result } from "../result.ts";
import type { ObjectPage, RestoredPage } from "./object-page.ts";

export interface BackupRpc {
  /** Null if the object stores nothing. */
  exportRows(cursor: string | null): Promise<ObjectPage | null>;
  importRows(page: RestoredPage): Promise<Result<boolean, string>>;
  /** Ends the instance in memory, which has read the object before it was restored. The call itself fails. */
  restart(): Promise<void>;
}

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
