/** The plugin's values (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../../platform/stored-data.ts";

function ofUser(holds: string, why: string, kept: string, erased = "deleted"): PersonalData {
  return { about: ["chat user"], holds, why, kept, erased };
}

export const slackValues: StoredData = {
  place: "UserVault",
  holdings: {
    "slack: answer/<run>, ended-answers": ofUser(
      "the part of an answer that Slack has received",
      "no part is posted twice",
      "the newest 100 answers",
    ),
    "slack: thread/shared/<thread>, thread/own/<thread>": ofUser(
      "threads in which the person wrote to the oracle",
      "erasure reaches these threads",
      "until the person is erased",
    ),
    "slack: owner, in the object did:slack:<team>:<channel>:<thread>": ofUser(
      "the Slack user who started a thread",
      "who may continue it",
      "forever",
      "replaced by the thread itself; the receipt names threads with the person's messages, which staff erase by their DIDs",
    ),
    "slack: event/<id>, refusal/<ts>, in the same object": "ids of handled events",
  },
};
