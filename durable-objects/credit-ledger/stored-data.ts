/** The tables of a payer's ledger (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../platform/stored-data.ts";

function ofPayer(holds: string): PersonalData {
  return {
    about: ["chat user"],
    holds,
    why: "accounting",
    kept: "`CREDITS_RETENTION_DAYS`; 0 keeps them forever",
    erased: "kept as accounting; it contains no text, but the object is named by the DID",
  };
}

export const creditLedgerData: StoredData = {
  place: "CreditLedger",
  holdings: {
    entries: ofPayer("movements of credits, with run ids"),
    accounts: ofPayer("sums of the movements"),
    runs: ofPayer("holds and charges by run id"),
  },
};
