/** The event that announces a call in its Matrix room, read with the oracle's own account from its own homeserver. */
import * as z from "zod";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { parseJson } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { callDetails, type CallDetails, type CallId } from "./call-record.ts";
import type { MatrixSettings } from "./settings.ts";

const CALL_EVENT = "m.ixo.oracles_call";
/** Milliseconds; the client waits for it. */
const READ_TIME_MS = 5_000;
/** Bytes: what Matrix allows an event. */
const EVENT_BYTES = 65_536;

export type Send = (address: string, init: RequestInit) => Promise<Response>;

const roomEvent = z.object({ type: z.literal(CALL_EVENT), content: z.looseObject({}) });

/** What the event says of the call; the error is a word for the log. */
export async function readCallEvent(
  { eventId, roomId }: CallId,
  { baseUrl, accessToken }: MatrixSettings,
  send: Send,
): Promise<Result<CallDetails, string>> {
  const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/event/${encodeURIComponent(eventId)}`;
  try {
    const response = await send(`${baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${accessToken}` },
      redirect: "manual",
      signal: AbortSignal.timeout(READ_TIME_MS),
    });
    const body = await readLimited(response, EVENT_BYTES);
    if (!response.ok) return failure(`status ${response.status}`);
    if (!body.ok) return body;
    const parsed = parseJson(new TextDecoder().decode(body.value));
    const event = roomEvent.safeParse(parsed.ok ? parsed.value : undefined);
    return event.success ? success(detailsOf(event.data.content)) : failure("not a call");
  } catch {
    return failure("unreachable");
  }
}

/** Each member by itself: somebody else wrote the event, and one that does not fit takes no other along. */
function detailsOf(content: Readonly<Record<string, unknown>>): CallDetails {
  const members = Object.keys(callDetails.shape).flatMap((name) => {
    const parsed = callDetails.safeParse({ [name]: content[name] });
    return parsed.success ? [parsed.data] : [];
  });
  return Object.assign({}, ...members) as CallDetails;
}
