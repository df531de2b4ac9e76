/** The tables of a chat session (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../platform/stored-data.ts";

const UNTIL_DELETED =
  "`ORACLE_TRANSCRIPT_DAYS` after the last message; otherwise until the user deletes the session or is erased";

function ofUser(holds: string, why: string, kept = UNTIL_DELETED): PersonalData {
  return { about: ["chat user", "phone customer"], holds, why, kept, erased: "deleted" };
}

export const chatSessionData: StoredData = {
  place: "ChatSession",
  holdings: {
    session: ofUser("DID of the owner, title and times of the session", "access to the session"),
    messages: ofUser("the transcript: messages, answers and tool calls", "the conversation"),
    runs: ofUser("status, times and tokens of each turn, and the data to resume it", "a lost turn continues"),
    steps: ofUser("text, reasoning and tokens of each step of a turn", "a lost turn continues"),
    calls: ofUser("tool calls with their arguments", "no call is repeated", "until the turn has ended"),
    frames: ofUser("the streamed answer", "a client that reconnects", "a day after the turn, or 50 turns"),
    client_calls: ofUser("calls that the browser executes", "a lost turn continues", "until the turn has ended"),
    agent_steps: ofUser("text of the steps of sub-agents", "a lost turn continues", "until the turn has ended"),
    approvals: ofUser(
      "calls that the user must approve, and the answer",
      "consent",
      "as long as the frames of the turn",
    ),
    loaded_capabilities: "plugins whose tools the model has loaded",
    summary: ofUser("a summary of earlier turns", "models with a small window"),
    ended_turns: ofUser(
      "ended turns that are still to be reported to plugins",
      "billing",
      "until reported, at most 7 days",
    ),
    turn_reports: "plugins that still need a report",
  },
};
