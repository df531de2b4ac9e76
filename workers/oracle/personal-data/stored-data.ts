/** The table of erasures (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

export const erasureData: StoredData = {
  place: "DATABASE",
  holdings: {
    erasures: {
      about: ["chat user"],
      holds: "requests for erasure: the DID until it is complete, then digests of it and the receipt",
      why: "an erasure survives a crash, and is applied again after a restore",
      kept: "the digests forever",
      erased: "the digests are kept: they tell after a restore who must be erased again",
    },
  },
};
