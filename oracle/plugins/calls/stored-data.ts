/** The plugin's values (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../../platform/stored-data.ts";

function ofUser(holds: string, erased = "deleted"): PersonalData {
  return {
    about: ["chat user"],
    holds,
    why: "the list of a user's calls",
    kept: "until the user is erased; the oldest are deleted when the user's storage is full",
    erased,
  };
}

export const callValues: StoredData = {
  place: "UserVault",
  holdings: {
    "calls: call/<digest>, ended/<digest>": ofUser("call records: start, end and session of each call"),
    "calls: session/<session>/<when>/<digest>": ofUser("the calls of a session"),
    "calls: owner, in the object did:call:<digest>": ofUser(
      "the DID of the person who started a call",
      "replaced by `erased`; it stays for calls that a full storage has dropped",
    ),
  },
};
