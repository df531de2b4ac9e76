/** A call: its id, its members and its transitions from pending to active to ended. Pure. */
import * as z from "zod";

/** Maximum length of an event's or a room's id in Matrix, characters. */
export const MATRIX_ID_LENGTH = 255;
/** Maximum length of a key that only the oracle can open, characters; a key has a few hundred. */
export const ENCRYPTION_KEY_LENGTH = 8_192;
/** Maximum length of every other text, characters. */
const TEXT_LENGTH = 128;

export interface CallId {
  /** `<eventId>@<roomId>`. */
  readonly text: string;
  readonly eventId: string;
  readonly roomId: string;
}

/** Undefined if the text is not a call's id. */
export function parseCallId(text: string): CallId | undefined {
  const at = text.indexOf("@!");
  const [eventId, roomId] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 || /[\s\p{Cc}]/u.test(text) || !/^\$./.test(eventId) || !/^!./.test(roomId)) return undefined;
  return eventId.length > MATRIX_ID_LENGTH || roomId.length > MATRIX_ID_LENGTH ? undefined : { text, eventId, roomId };
}

const word = z.string().min(1).max(TEXT_LENGTH);
const moment = word
  .refine((text) => !Number.isNaN(Date.parse(text)), { error: "must be a date in ISO 8601" })
  .meta({ description: "ISO 8601" });
const status = z.enum(["pending", "active", "ended"]);

/** The details that a client may send of a call; unknown members are ignored. */
export const callDetails = z.object({
  sessionId: word.optional(),
  callType: word.optional(),
  callStatus: status.optional(),
  callStartedAt: moment.optional(),
  callEndedAt: moment.optional(),
  encryptionKey: z.string().min(1).max(ENCRYPTION_KEY_LENGTH).optional(),
  agentVoice: word.optional(),
  language: word.optional(),
});
export type CallDetails = z.output<typeof callDetails>;

export const callChange = z.object({
  callStatus: z.enum(["active", "ended"]),
  callStartedAt: moment.optional(),
  callEndedAt: moment.optional(),
});
export type CallChange = z.output<typeof callChange>;

/** The call for everyone except the agent: without the key. */
export const shownCall = callDetails.omit({ encryptionKey: true }).extend({
  callId: z.string(),
  callStatus: status,
  oracleDid: z.string(),
  userDid: z.string(),
});
export type ShownCall = z.output<typeof shownCall>;

export const callRecord = shownCall.extend({ encryptionKey: z.string().optional() });
export type CallRecord = z.output<typeof callRecord>;

export type CallIdentity = Pick<CallRecord, "callId" | "oracleDid" | "userDid">;

/** Merges the client's details into the call: given members replace the earlier ones. */
export function synced(stored: CallRecord | undefined, details: CallDetails, of: CallIdentity): CallRecord {
  const { callStatus = stored?.callStatus ?? "pending" } = details;
  const merged = { ...stored, ...withoutGaps(details), ...of };
  return { ...merged, callStatus: stored?.callStatus === "ended" ? "ended" : callStatus };
}

/** Undefined when an ended call would have to continue. */
export function changed(stored: CallRecord, change: CallChange, now: string): CallRecord | undefined {
  if (stored.callStatus === "ended") return change.callStatus === "ended" ? stored : undefined;
  const callStartedAt = change.callStartedAt ?? stored.callStartedAt;
  const started = { ...stored, ...(callStartedAt === undefined ? {} : { callStartedAt }) };
  return change.callStatus === "active"
    ? { ...started, callStatus: "active", callStartedAt: callStartedAt ?? now }
    : { ...started, callStatus: "ended", callEndedAt: change.callEndedAt ?? now };
}

export function shown(call: CallRecord): ShownCall {
  return shownCall.parse(call);
}

function withoutGaps(details: CallDetails): CallDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}
