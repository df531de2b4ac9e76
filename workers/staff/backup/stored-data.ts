/** The tables of backups and restores (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

export const backupData: StoredData = {
  place: "DATABASE",
  holdings: {
    stored_objects: {
      about: ["chat user"],
      holds: "DIDs of users and payers whose objects hold data",
      why: "a backup reaches every object",
      kept: "as long as the object holds data",
      erased: "deleted; kept while the user's object has revoked delegations, and for a payer's ledger",
    },
    restores: "the id of a backup that is being restored",
    restored_tables: "the progress of a restore",
    restore_parts: "triggers and indexes that return after a restore",
  },
};
