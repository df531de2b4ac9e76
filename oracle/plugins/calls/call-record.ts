/** A call: its id, its members and how it moves from pending over active to ended. Pure. */
import * as z from "zod";

/** Characters of an event's or a room's id in Matrix. */
export const MATRIX_ID_LENGTH = 255;
/** Characters of a key that only the oracle can open; one has a few hundred. */
export const ENCRYPTION_KEY_LENGTH = 8_192;
/** Characters of every other text. */
const TEXT_LENGTH = 128;

export interface CallId {
  /** `<eventId>@<roomId>`. */
  readonly text: string;
  readonly eventId: string;
  readonly roomId: string;
}

/** Undefined for what is no call's id. */
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

/** What a client tells of a call; unknown members are ignored. */
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

/** As everybody but the agent sees it: the key is not among its members. */
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

/** The call with what its client says of it: a member that is given replaces the earlier one. */
export function synced(stored: CallRecord | undefined, details: CallDetails, of: CallIdentity): CallRecord {
  const { callStatus = stored?.callStatus ?? "pending" } = details;
  const merged = { ...stored, ...withoutGaps(details), ...of };
  return { ...merged, callStatus: stored?.callStatus === "ended" ? "ended" : callStatus };
}

/** Undefined when the call has ended and is asked to go on. */
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
