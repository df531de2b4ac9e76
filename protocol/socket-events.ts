/**
 * The events of a session's Socket.IO channel, in both directions: one row per event with the schema of its payload.
 * `list-events` returns them in the order of the rows.
 */
import * as z from "zod";
import { call, callStatus } from "./frames.ts";
import { jsonObject, pascalCase, timestamp, type InputOf, type JsonValue, type TypeOf } from "./json.ts";
import { MAX_CLIENT_TOOLS, MAX_CLIENT_TOOL_NAME_LENGTH } from "./limits.ts";

interface ServerEventRow {
  /**
   * `flat`: the payload itself. `hybrid`: its members, and in addition `eventName` and a copy of the members as
   * `payload`, because older clients listen to every event and read only those two.
   */
  readonly form: "flat" | "hybrid";
  /**
   * Who receives it: the requesting socket, every socket of the session, exactly one, or one unless it asks the user.
   */
  readonly to: "caller" | "room" | "one" | "one-or-room";
  readonly when: string;
  readonly payload: z.ZodType;
}

interface ClientEventRow {
  readonly when: string;
  readonly payload: z.ZodType;
}

const inSession = { sessionId: z.string() };
const inRun = { ...inSession, requestId: z.string() };
const invocationId = () =>
  z.string().meta({ description: "Unique per call, `<id of the call>:<uuid>`. Return it unchanged." });
/** A request without a payload ignores whatever the client sends. */
const ignored = () => z.unknown();

export const serverEvents = {
  connected: {
    form: "flat",
    to: "caller",
    when: "The connection was accepted.",
    payload: z.object({ message: z.literal("Connected successfully"), ...inSession, timestamp: timestamp() }),
  },
  pong: {
    form: "flat",
    to: "caller",
    when: "The response to `ping`.",
    payload: z.object({ timestamp: timestamp(), ...inSession }),
  },
  status: {
    form: "flat",
    to: "caller",
    when: "The response to `status`, with the number of connections of this session.",
    payload: z.object({
      connected: z.literal(true),
      ...inSession,
      activeSessions: z.int(),
      totalConnections: z.int(),
      timestamp: timestamp(),
    }),
  },
  subscribed: {
    form: "flat",
    to: "caller",
    when: "The response to `subscribe`.",
    payload: z.object({ ...inSession, timestamp: timestamp() }),
  },
  "available-events": {
    form: "flat",
    to: "caller",
    when: "The response to `list-events`: the names of all events in both directions.",
    payload: z.object({
      clientEvents: z.array(z.string()),
      serverEvents: z.array(z.string()),
      ...inSession,
      timestamp: timestamp(),
    }),
  },
  tool_call: {
    form: "hybrid",
    to: "room",
    when: "A tool is called or has returned. The two events of one call have the same `eventId`.",
    payload: z.object({ ...call, eventId: z.string() }),
  },
  action_call: {
    form: "flat",
    to: "one-or-room",
    when: "Asks the client to perform an AG-UI action or, with the name `approve_tool`, asks the user to approve a tool call. The client answers with `action_call_result`.",
    payload: z.object({
      ...inRun,
      toolCallId: invocationId(),
      toolName: z.string(),
      args: jsonObject(),
      status: z.literal("isRunning"),
    }),
  },
  render_component: {
    form: "hybrid",
    to: "room",
    when: "Asks the client to show a component.",
    payload: z.object({
      ...inRun,
      componentName: z.string(),
      args: jsonObject(),
      status: callStatus,
      eventId: z.string(),
    }),
  },
  browser_tool_call: {
    form: "flat",
    to: "one",
    when: "Asks the client to run a browser tool. The client answers with `tool_result`.",
    payload: z.object({ ...inRun, toolCallId: invocationId(), toolName: z.string(), args: jsonObject() }),
  },
  router_update: {
    form: "flat",
    to: "room",
    when: "Another agent or sub-agent takes over.",
    payload: z.object({ ...inRun, step: z.string() }),
  },
  mcp_auth_required: {
    form: "hybrid",
    to: "room",
    when: "A tool of another server was not called, because the user must sign in there first: open `url`.",
    payload: z.object({ ...inRun, server: z.string(), url: z.string() }),
  },
  message_cache_invalidation: {
    form: "hybrid",
    to: "room",
    when: "The transcript or the title changed: read it again. The nested `payload.sessionId` is empty.",
    payload: z.object({ ...inRun, status: z.string().optional() }),
  },
} as const satisfies Readonly<Record<string, ServerEventRow>>;

/** The result of a call that a client was asked to make; a function can return nothing. */
const callResult = z.object({
  toolCallId: z.string().meta({ description: "The id of the call, unchanged." }),
  result: (z.unknown() as unknown as z.ZodType<JsonValue | undefined>).optional(),
  error: z.string().nullish(),
  sessionId: z.string().optional(),
});

/** Names of browser tools, or of AG-UI actions. */
const announced = () => z.array(z.string().min(1).max(MAX_CLIENT_TOOL_NAME_LENGTH)).max(MAX_CLIENT_TOOLS).default([]);

export const clientEvents = {
  ping: { when: "Requests `pong`.", payload: ignored() },
  status: { when: "Requests `status`.", payload: ignored() },
  subscribe: { when: "Requests `subscribed`.", payload: ignored() },
  "list-events": { when: "Requests `available-events`.", payload: ignored() },
  tool_result: {
    when: "The result of a `browser_tool_call`, or its `error`.",
    payload: callResult,
  },
  action_call_result: {
    when: "The result of an `action_call`. A failure has `error`, or `success: false` in the result.",
    payload: callResult,
  },
  announce_tools: {
    when: "The browser tools and actions that this tab can run. Send it after `connected` and after each change. Each event replaces the previous one.",
    payload: z.object({ tools: announced(), actions: announced() }),
  },
} as const satisfies Readonly<Record<string, ClientEventRow>>;

export type ServerEventName = keyof typeof serverEvents;
export type ClientEventName = keyof typeof clientEvents;
export const serverEventNames = Object.keys(serverEvents) as readonly ServerEventName[];
export const clientEventNames = Object.keys(clientEvents) as readonly ClientEventName[];

/** The payload of an event from the oracle, before it takes its form. */
export type ServerPayload<Name extends ServerEventName> = TypeOf<(typeof serverEvents)[Name]["payload"]>;
/** The payload that a client can send. */
export type ClientPayload<Name extends ClientEventName> = InputOf<(typeof clientEvents)[Name]["payload"]>;
/** An event of a client, with a validated payload. */
export type ClientEvent = {
  readonly [Name in ClientEventName]: {
    readonly name: Name;
    readonly payload: TypeOf<(typeof clientEvents)[Name]["payload"]>;
  };
}[ClientEventName];

/** The events that reach every socket of the session. */
export type RoomEventName = {
  [Name in ServerEventName]: (typeof serverEvents)[Name]["to"] extends "room" ? Name : never;
}[ServerEventName];
export const roomEventNames: readonly string[] = serverEventNames.filter((name) => serverEvents[name].to === "room");
/** The payload of such an event from a plugin; session and request are added. */
export type PluginEvents = { readonly [Name in RoomEventName]: Omit<ServerPayload<Name>, "sessionId" | "requestId"> };

/** The `toolName` of the `action_call` that asks the user to approve a tool call. */
export const APPROVE_TOOL = "approve_tool";

/** Sends an event to every socket of the session. */
export type PublishToRoom = <Name extends RoomEventName>(name: Name, payload: ServerPayload<Name>) => void;

/** An event from the oracle in its form, for descriptions of the protocol. */
export const serverEvent = z
  .union(
    Object.entries(serverEvents).map(([name, { form, payload, when }]) => {
      const data = form === "flat" ? payload : payload.extend({ eventName: z.literal(name), payload });
      return z.object({ event: z.literal(name), data }).meta({ id: `${pascalCase(name)}Event`, description: when });
    }),
  )
  .meta({ id: "ServerEvent", description: "A Socket.IO event from the oracle: its name and its first argument." });

export const clientEvent = z
  .union(
    Object.entries(clientEvents).map(([name, { payload, when }]) =>
      z
        .object({ event: z.literal(name), data: payload })
        .meta({ id: `${pascalCase(name)}ClientEvent`, description: when }),
    ),
  )
  .meta({ id: "ClientEvent", description: "A Socket.IO event from a client: its name and its first argument." });

export function isClientEventName(name: string): name is ClientEventName {
  return Object.hasOwn(clientEvents, name);
}
