/** The calls of an object that a backup contains. */
import type { Result } from "../result.ts";
import type { ObjectPage, RestoredPage } from "./object-page.ts";

export interface BackupRpc {
  /** Null if the object stores nothing. */
  exportRows(cursor: string | null): Promise<ObjectPage | null>;
  importRows(page: RestoredPage): Promise<Result<boolean, string>>;
  /** Ends the instance in memory, which has read the object before it was restored. The call itself fails. */
  restart(): Promise<void>;
}
