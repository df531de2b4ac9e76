/** Encodes the events of the chat channel for Socket.IO, and parses those that clients send. */
import {
  clientEvents,
  isClientEventName,
  serverEvents,
  type ClientEvent,
  type ServerEventName,
  type ServerPayload,
} from "../../protocol/socket-events.ts";
import type { JsonObject } from "../../workers/platform/json.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";

/** The first argument of an event as it goes out. */
export function outgoing<Name extends ServerEventName>(name: Name, payload: ServerPayload<Name>): JsonObject {
  const fields = payload as JsonObject;
  if (serverEvents[name].form !== "hybrid") return fields;
  // Clients show an invalidation as a message when its nested session is theirs; they reload whichever it is.
  const nested = name === "message_cache_invalidation" ? { ...fields, sessionId: "" } : fields;
  return { ...fields, eventName: name, payload: nested };
}

/** What a client sent, checked; or why it is ignored. */
export function incoming(name: string, payload: unknown): Result<ClientEvent, "unknown event" | "malformed payload"> {
  if (!isClientEventName(name)) return failure("unknown event");
  const parsed = clientEvents[name].payload.safeParse(payload);
  if (!parsed.success) return failure("malformed payload");
  return success({ name, payload: parsed.data } as ClientEvent);
}
