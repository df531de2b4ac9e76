/**
 * The events of the chat channel (spec part C, Events; contract/oracle.md sections 8.3, 8.4): one table from which come
 * the types, what `list-events` answers, the check of what clients send, and docs/events.md. Order is the specification's.
 */
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../workers/platform/json.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";

interface EventRow {
  readonly name: string;
  readonly direction: "server" | "client";
  /**
   * `flat`: the payload as it is. `hybrid`: its fields, and beside them `eventName` and the fields once more as
   * `payload`, since older clients listen to everything and read only those two.
   */
  readonly form: "flat" | "hybrid";
  /** Whom it reaches: who asked, every socket of the session, exactly one of them, or us. */
  readonly reaches: "caller" | "room" | "one" | "server";
  readonly when: string;
  readonly payload: z.ZodType;
}

const text = z.string;
const timestamp = () => z.iso.datetime();
const anyObject = () => z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;
const anyValue = () => z.unknown() as z.ZodType<JsonValue | undefined>;
const inSession = { sessionId: text() };
const inTurn = { ...inSession, requestId: text() };
const callStatus = z.enum(["isRunning", "done", "error"]);
/** Whatever a client sends with a request that has no payload. */
const ignored = () => z.unknown();
/** A result whose value may be missing: a function may return nothing. */
const result = {
  toolCallId: text(),
  result: anyValue().optional(),
  error: text().nullish(),
  sessionId: text().optional(),
};

export const events = [
  {
    name: "connected",
    direction: "server",
    form: "flat",
    reaches: "caller",
    when: "the handshake was accepted",
    payload: z.object({ message: z.literal("Connected successfully"), ...inSession, timestamp: timestamp() }),
  },
  {
    name: "pong",
    direction: "server",
    form: "flat",
    reaches: "caller",
    when: "answer to `ping`",
    payload: z.object({ timestamp: timestamp(), ...inSession }),
  },
  {
    name: "status",
    direction: "server",
    form: "flat",
    reaches: "caller",
    when: "answer to `status`; the counts are those of this session",
    payload: z.object({
      connected: z.literal(true),
      ...inSession,
      activeSessions: z.int(),
      totalConnections: z.int(),
      timestamp: timestamp(),
    }),
  },
  {
    name: "subscribed",
    direction: "server",
    form: "flat",
    reaches: "caller",
    when: "answer to `subscribe`",
    payload: z.object({ ...inSession, timestamp: timestamp() }),
  },
  {
    name: "available-events",
    direction: "server",
    form: "flat",
    reaches: "caller",
    when: "answer to `list-events`: these two lists",
    payload: z.object({
      clientEvents: z.array(text()),
      serverEvents: z.array(text()),
      ...inSession,
      timestamp: timestamp(),
    }),
  },
  {
    name: "tool_call",
    direction: "server",
    form: "hybrid",
    reaches: "room",
    when: "a tool is being called or has returned; the two of one call share their `eventId`",
    payload: z.object({
      ...inTurn,
      toolName: text(),
      args: anyObject(),
      status: callStatus,
      eventId: text(),
      output: text().optional(),
      error: text().optional(),
    }),
  },
  {
    name: "action_call",
    direction: "server",
    form: "flat",
    reaches: "one",
    when: "an AG-UI action is to be performed; answered with `action_call_result`",
    payload: z.object({
      ...inTurn,
      toolCallId: text(),
      toolName: text(),
      args: anyObject(),
      status: z.literal("isRunning"),
    }),
  },
  {
    name: "render_component",
    direction: "server",
    form: "hybrid",
    reaches: "room",
    when: "a component is to be shown",
    payload: z.object({
      ...inTurn,
      componentName: text(),
      args: anyObject(),
      status: callStatus,
      eventId: text(),
    }),
  },
  {
    name: "browser_tool_call",
    direction: "server",
    form: "flat",
    reaches: "one",
    when: "a browser tool is to be run; answered with `tool_result`",
    payload: z.object({ ...inTurn, toolCallId: text(), toolName: text(), args: anyObject() }),
  },
  {
    name: "router_update",
    direction: "server",
    form: "flat",
    reaches: "room",
    when: "another agent or sub-agent takes over",
    payload: z.object({ ...inTurn, step: text() }),
  },
  {
    name: "message_cache_invalidation",
    direction: "server",
    form: "hybrid",
    reaches: "room",
    when: "the transcript or the title changed: read it anew. The nested `payload.sessionId` is empty",
    payload: z.object({ ...inTurn, status: text().optional() }),
  },
  { name: "ping", direction: "client", form: "flat", reaches: "server", when: "asks for `pong`", payload: ignored() },
  {
    name: "status",
    direction: "client",
    form: "flat",
    reaches: "server",
    when: "asks for `status`",
    payload: ignored(),
  },
  {
    name: "subscribe",
    direction: "client",
    form: "flat",
    reaches: "server",
    when: "asks for `subscribed`",
    payload: ignored(),
  },
  {
    name: "list-events",
    direction: "client",
    form: "flat",
    reaches: "server",
    when: "asks for `available-events`",
    payload: ignored(),
  },
  {
    name: "tool_result",
    direction: "client",
    form: "flat",
    reaches: "server",
    when: "the result of a `browser_tool_call`, or the `error` that it failed with",
    payload: z.object(result),
  },
  {
    name: "action_call_result",
    direction: "client",
    form: "flat",
    reaches: "server",
    when: "the result of an `action_call`; a failure is an `error`, or `success: false` in the result",
    payload: z.object(result),
  },
] as const satisfies readonly EventRow[];

type EventRows = (typeof events)[number];
type RowOf<Direction extends "server" | "client"> = Extract<EventRows, { readonly direction: Direction }>;

export type ServerEventName = RowOf<"server">["name"];
export type ClientEventName = RowOf<"client">["name"];
export type ServerPayload<Name extends ServerEventName> = z.input<
  Extract<RowOf<"server">, { readonly name: Name }>["payload"]
>;
/** What a client sent, checked. */
export type ClientPayload<Name extends ClientEventName> = z.output<
  Extract<RowOf<"client">, { readonly name: Name }>["payload"]
>;

/** The events that reach every socket of the session. */
export type RoomEventName = Extract<EventRows, { readonly reaches: "room" }>["name"];
/** What a plugin says of such an event; session and request are added. */
export type PluginEvents = { readonly [Name in RoomEventName]: Omit<ServerPayload<Name>, "sessionId" | "requestId"> };

const serverRows: ReadonlyMap<string, EventRow> = new Map(
  events.filter(({ direction }) => direction === "server").map((row) => [row.name, row]),
);
const clientRows: ReadonlyMap<string, EventRow> = new Map(
  events.filter(({ direction }) => direction === "client").map((row) => [row.name, row]),
);

export const serverEventNames: readonly string[] = [...serverRows.keys()];
export const clientEventNames: readonly string[] = [...clientRows.keys()];

/** The first argument of an event as it goes out. */
export function outgoing<Name extends ServerEventName>(name: Name, payload: ServerPayload<Name>): JsonObject {
  const fields = payload as JsonObject;
  if (serverRows.get(name)?.form !== "hybrid") return fields;
  // Clients draw an invalidation as a message if its nested session is theirs; they reload whichever it is.
  const nested = name === "message_cache_invalidation" ? { ...fields, sessionId: "" } : fields;
  return { ...fields, eventName: name, payload: nested };
}

export type Incoming = {
  readonly [Name in ClientEventName]: { readonly name: Name; readonly payload: ClientPayload<Name> };
}[ClientEventName];

/** What a client sent, checked; or why it is passed over. */
export function incoming(name: string, payload: unknown): Result<Incoming, "unknown event" | "malformed payload"> {
  const row = clientRows.get(name);
  if (row === undefined) return failure("unknown event");
  const parsed = row.payload.safeParse(payload);
  if (!parsed.success) return failure("malformed payload");
  return success({ name, payload: parsed.data } as Incoming);
}
