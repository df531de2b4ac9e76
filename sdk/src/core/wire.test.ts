/** The SDK's own types of the wire equal the schemas of protocol/. The compiler checks this; the test runs nothing. */
import { expect, test } from "vitest";
import type * as frames from "../../../protocol/frames.ts";
import type * as records from "../../../protocol/records.ts";
import type * as requests from "../../../protocol/requests.ts";
import type * as sockets from "../../../protocol/socket-events.ts";
import type * as wire from "./wire.ts";

/** Each type is assignable to the other. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : "only one way") : "not at all";
type SameMembers<One, Other> = { [Name in keyof One & keyof Other]: Same<One[Name], Other[Name]> };

type ServerPayloads = { [Name in sockets.ServerEventName]: sockets.ServerPayload<Name> };
type ClientPayloads = { [Name in sockets.ClientEventName]: sockets.ClientPayload<Name> };
type FrameDatas = { [Name in frames.FrameName]: frames.FrameData<Name> };

type AllTrue<Checks> = [Checks[keyof Checks]] extends [true] ? true : Checks;

const same: AllTrue<{
  frameNames: Same<wire.FrameName, frames.FrameName>;
  frames: AllTrue<SameMembers<wire.Frames, FrameDatas>>;
  runEvent: Same<wire.RunEvent, frames.RunEvent>;
  serverEventNames: Same<wire.ServerEventName, sockets.ServerEventName>;
  serverPayloads: AllTrue<SameMembers<wire.ServerEvents, ServerPayloads>>;
  clientEventNames: Same<wire.ClientEventName, sockets.ClientEventName>;
  clientPayloads: AllTrue<SameMembers<wire.ClientEvents, ClientPayloads>>;
  messagePage: Same<wire.MessagePage, records.MessagePage>;
  messageRecord: Same<wire.MessageRecord, records.MessageRecord>;
  modelList: Same<wire.ModelList, records.ModelList>;
  modelRecord: Same<wire.ModelRecord, records.ModelRecord>;
  preferencesRecord: Same<wire.PreferencesRecord, records.PreferencesRecord>;
  runRecord: Same<wire.RunRecord, records.RunRecord>;
  sessionList: Same<wire.SessionList, records.SessionList>;
  sessionRecord: Same<wire.SessionRecord, records.SessionRecord>;
  attachment: Same<wire.Attachment, requests.Attachment>;
  clientTool: Same<wire.ClientTool, requests.ClientTool>;
  sendMessageInput: Same<wire.SendMessageInput, requests.SendMessageInput>;
}> = true;

/** A union that `event` discriminates. */
const textOf = (frame: wire.RunEvent): string => (frame.event === "message" ? frame.data.content : frame.event);

test("the types of the wire are those of the protocol, without zod [SD-4]", () => {
  expect(same).toBe(true);
  expect(textOf({ event: "message", data: { content: "text", timestamp: "" } })).toBe("text");
});
