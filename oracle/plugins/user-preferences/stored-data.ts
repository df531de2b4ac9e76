/** The plugin's table (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

export const preferencesData: StoredData = {
  place: "DATABASE",
  holdings: {
    user_preferences: {
      about: ["chat user"],
      holds: "how a user wants answers: name, language and style, by DID",
      why: "answers as the user wants them",
      kept: "until the user changes them or is erased",
      erased: "deleted",
    },
  },
};
