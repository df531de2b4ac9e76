/** What travels between an oracle and its clients, as types: frames, socket events, records, bodies. */
export type { RunEvent, FrameName, FrameData } from "../../../protocol/frames.ts";
export type {
  ServerEventName,
  ServerPayload,
  ClientEventName,
  ClientPayload,
} from "../../../protocol/socket-events.ts";
export type {
  MessagePage,
  MessageRecord,
  ModelList,
  ModelRecord,
  PreferencesRecord,
  RunRecord,
  SessionList,
  SessionRecord,
} from "../../../protocol/records.ts";
export type { Attachment, ClientTool, SendMessageInput } from "../../../protocol/requests.ts";
