/** The plugin's values and files (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../../platform/stored-data.ts";

function ofUser(holds: string, kept: string): PersonalData {
  return { about: ["chat user"], holds, why: "questions about attached files", kept, erased: "deleted" };
}

const NEWEST = "the newest 100 files";

export const attachmentValues: StoredData = {
  place: "UserVault",
  holdings: {
    "attachments: file/<session>/<id>": ofUser("the text of an attached file", NEWEST),
    "attachments: time/<when>/<session>/<id>": ofUser("the order of the files", NEWEST),
    "attachments: upload/<place>": ofUser("an upload that waits for its message", "24 hours"),
  },
};

export const attachmentFiles: StoredData = {
  place: "BLOBS",
  holdings: {
    "attachments/<DID>/<session>/<id>": ofUser("an attached image", "the newest 100 files"),
    "attachments/<DID>/upload/<id>": ofUser("an upload that waits for its message", "24 hours"),
  },
};
