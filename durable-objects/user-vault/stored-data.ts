/** The tables of a user's object (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../platform/stored-data.ts";

function ofUser(holds: string, why: string, kept: string, erased = "deleted"): PersonalData {
  return { about: ["chat user", "phone customer"], holds, why, kept, erased };
}

const NO_RESET = "kept until they expire: an erasure resets no limit";

export const userVaultData: StoredData = {
  place: "UserVault",
  holdings: {
    sessions: ofUser("ids, titles and times of the user's sessions", "the list of sessions", "as long as the session"),
    delegation: ofUser("the stored delegation", "acting for the user", "until it expires or the user deletes it"),
    reauthorisation_prompt: ofUser("when the user was last asked to authorise again", "no repeated prompts", "forever"),
    sockets: ofUser("the user's connections, at most 32", "the limit of connections", "until the connection ends"),
    revocation: ofUser("when the user last deleted their delegation", "no old token revives it", "forever", "kept"),
    revoked_delegations: ofUser(
      "ids of revoked delegations",
      "a revoked token stays revoked",
      "until they expire",
      "kept: a revoked token must stay revoked",
    ),
    requests: ofUser("counts of requests", "the limit per minute", "a minute", NO_RESET),
    turns: ofUser("turns and tokens of the day", "the limits of the day", "two days", NO_RESET),
    plugin_values: ofUser(
      "values of plugins: see the rows of plugins below",
      "the plugins",
      "as each plugin describes",
    ),
    plugin_totals: "sizes of the plugins' values",
    plugin_texts: ofUser(
      "facts that the user asked to remember (plugin memory)",
      "memory",
      "until the user deletes them",
    ),
    plugin_text_words: ofUser("an index of the words of these facts", "search", "as long as the fact"),
  },
};
