/** The table of a phone session (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

export const phoneSessionData: StoredData = {
  place: "UssdSession",
  holdings: {
    session: {
      about: ["phone customer"],
      holds: "the state of a call: phone number, last screen, and a draft with name and e-mail",
      why: "the call, and continuing it after the line drops",
      kept: "until the call can no longer be continued (15 minutes)",
      erased: "deleted",
    },
  },
};
