/** The plugin's table (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

export const claimsData: StoredData = {
  place: "DATABASE",
  holdings: {
    claims: {
      about: ["chat user"],
      holds: "usage claims: payer DID, run id, amount and status",
      why: "accounting and billing",
      kept: "`CREDITS_RETENTION_DAYS` after they are settled; 0 keeps them forever",
      erased: "kept as accounting: settled claims lose payer and run; the others keep them until they are billed",
    },
  },
};
