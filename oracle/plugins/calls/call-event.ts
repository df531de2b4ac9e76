/**
 * The event that announces a call in its Matrix room, read with the oracle's own account from its own homeserver: its sender, and
 * its details of the call.
 */
import * as z from "zod";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { parseJson } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { callDetails, type CallDetails, type CallId } from "./call-record.ts";
import type { MatrixSettings } from "./settings.ts";

const CALL_EVENT = "m.ixo.oracles_call";
/** Time limit, milliseconds; the client waits for it. */
const READ_TIME_MS = 5_000;
/** Maximum size of an event in Matrix, bytes. */
const EVENT_BYTES = 65_536;

export type Send = (address: string, init: RequestInit) => Promise<Response>;

const roomEvent = z.object({ type: z.string(), sender: z.string(), content: z.looseObject({}) });

export interface CallEvent {
  /** The user's id in Matrix. */
  readonly sender: string;
  /** Empty for an event that the oracle cannot read, because it is encrypted or of another type. */
  readonly details: CallDetails;
}

/** `unknown`: the oracle's account sees no such event. The other errors may be temporary, and are for the log. */
export type UnreadEvent = "unknown" | `status ${number}` | "too large" | "unreachable" | "not an event";
export async function readCallEvent(
  { eventId, roomId }: CallId,
  { baseUrl, accessToken }: MatrixSettings,
  send: Send,
): Promise<Result<CallEvent, UnreadEvent>> {
  const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/event/${encodeURIComponent(eventId)}`;
  try {
    const response = await send(`${baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${accessToken}` },
      redirect: "manual",
      signal: AbortSignal.timeout(READ_TIME_MS),
    });
    const body = await readLimited(response, EVENT_BYTES);
    if (response.status === 403 || response.status === 404) return failure("unknown");
    if (!response.ok) return failure<UnreadEvent>(`status ${response.status}`);
    if (!body.ok) return failure("too large");
    const parsed = parseJson(new TextDecoder().decode(body.value));
    const event = roomEvent.safeParse(parsed.ok ? parsed.value : undefined);
    if (!event.success) return failure("not an event");
    const { type, sender, content } = event.data;
    return success({ sender, details: type === CALL_EVENT ? detailsOf(content) : {} });
  } catch {
    return failure("unreachable");
  }
}

/**
 * Whether the Matrix user is the user of the DID: `@did-ixo-ixo1abc:example.org` is `did:ixo:ixo1abc`. Homeservers lower-case
 * names. Only trusted servers count: anyone can create such a name on their own server.
 */
export function isSenderOf(did: string, sender: string, servers: readonly string[]): boolean {
  const colon = sender.indexOf(":");
  const [name, server] = [sender.slice(0, colon), sender.slice(colon + 1)];
  return servers.includes(server) && name.toLowerCase() === `@${did.replaceAll(":", "-").toLowerCase()}`;
}

/** Each member is parsed separately: the event is untrusted, and an invalid member must not drop the others. */
function detailsOf(content: Readonly<Record<string, unknown>>): CallDetails {
  const members = Object.keys(callDetails.shape).flatMap((name) => {
    const parsed = callDetails.safeParse({ [name]: content[name] });
    return parsed.success ? [parsed.data] : [];
  });
  return Object.assign({}, ...members) as CallDetails;
}
