/** The plugin's vectors (platform/stored-data.ts); the facts themselves are in the table `plugin_texts`. */
import type { StoredData } from "../../../platform/stored-data.ts";

export const memoryVectors: StoredData = {
  place: "VECTORIZE",
  holdings: {
    "a digest of DID and fact": {
      about: ["chat user"],
      holds: "a vector of each remembered fact, without its text, if the binding exists",
      why: "finding facts by meaning",
      kept: "as long as the fact",
      erased: "deleted",
    },
  },
};
