/**
 * The tabs of a session's user: Socket.IO clients of the session's own channel and socket server, over real SQL. A tab reads and
 * sends frames, and answers the server's pings until it stalls. Only the object's neighbours are emulated: every caller is admitted
 * as the owner, and the user vault's list of sockets is not kept.
 */
import type { ClientCall } from "../../../oracle/runs/client-calls.ts";
import type { DatabaseSync } from "node:sqlite";
import { createChannelServer } from "../../../durable-objects/chat-session/sockets/channel-server.ts";
import {
  createChatChannel,
  type ChatChannelOptions,
} from "../../../durable-objects/chat-session/sockets/chat-channel.ts";
import {
  createSessionSockets,
  type SessionSockets,
} from "../../../durable-objects/chat-session/sockets/session-sockets.ts";
import type { ClientEventName } from "../../../protocol/socket-events.ts";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import type { Logger } from "../../../platform/log.ts";
import { success } from "../../../platform/result.ts";
import { OWNER } from "./chat-turns.ts";
import type { ManualClock } from "../clocks/manual-clock.ts";
import { createObject, type Peer } from "../socketio/object-in-node.ts";

const settings = { pingIntervalMs: 180_000, pingTimeoutMs: 60_000, origins: "*" } as const;

/** An event as a tab received it. */
export interface Heard {
  readonly name: string;
  readonly payload: JsonObject;
}

export interface Tab {
  readonly socketId: string;
  /** Every event that the tab received, in order. */
  readonly heard: readonly Heard[];
  /** Sends the result of a call. */
  answer(call: ClientCall, result: JsonValue): void;
  /** Sends an event. */
  emit(name: ClientEventName, payload?: JsonObject): void;
  /** Disconnects permanently. */
  leave(): void;
  /** Loses its connection without a packet. */
  drop(): void;
  /** Reconnects after a lost connection, as the same socket if the server still knows it. */
  comeBack(): Promise<void>;
  /** Stays connected and stops reading until `readOn`. */
  stall(): void;
  /** Reads everything sent meanwhile, even if the server has since closed the connection. */
  readOn(): void;
}

export interface Tabs {
  /** The sockets of the session's core, in this instance of the object. */
  readonly sockets: SessionSockets;
  /** The calls that tabs received, in order. */
  readonly written: readonly { readonly socketId: string; readonly call: ClientCall }[];
  /** Resolves when tabs have received this many calls in total. */
  whenWritten(times: number): Promise<void>;
  connect(): Promise<Tab>;
  /** The server loses its memory; storage and connections stay. */
  evict(): void;
}

export interface TabsParts {
  /** The channel's callbacks to its session. */
  readonly session: ChatChannelOptions["session"];
  /** The session's database. */
  readonly database: DatabaseSync;
  readonly clock: ManualClock;
  readonly log: Logger;
}

export function createTabs({ session, database, clock, log }: TabsParts): Tabs {
  const written: { socketId: string; call: ClientCall }[] = [];
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];

  const rig = createObject(
    (ports) => {
      const sockets = createSessionSockets(() => server);
      const application = createChatChannel({
        sockets,
        userSockets: { changed: () => undefined },
        session,
        authenticate: async () => success({ did: OWNER }),
        allowsOrigin: () => true,
        now: clock.now,
        log,
      });
      const server = createChannelServer(application, settings, ports);
      return { ...server, sockets };
    },
    { database, clock },
  );

  function note(socketId: string, call: ClientCall): void {
    written.push({ socketId, call });
    for (const { times, resolve } of waiting) if (written.length >= times) resolve();
  }

  async function connect(): Promise<Tab> {
    const heard: Heard[] = [];
    let socketId = "";
    let privateId: string | undefined;
    let offset: string | undefined;
    const unread: (() => void)[] = [];
    let stalled = false;
    let peer = await open();

    async function open(): Promise<Peer> {
      const opened = await rig.connect(`transport=websocket&sessionId=${session.id()}`);
      opened.listen((frame) => {
        if (stalled) unread.push(() => hear(opened, frame));
        else hear(opened, frame);
      });
      opened.send(`40${JSON.stringify(privateId === undefined ? {} : { pid: privateId, offset })}`);
      await rig.settle();
      return opened;
    }

    function hear(from: Peer, frame: string): void {
      if (frame === "2") from.send("3");
      else if (frame.startsWith("40")) {
        ({ sid: socketId, pid: privateId } = JSON.parse(frame.slice(2)) as { sid: string; pid: string });
      } else if (frame.startsWith("42")) {
        const [name, payload, kept] = JSON.parse(frame.slice(2)) as [string, JsonObject, string?];
        offset = kept ?? offset;
        heard.push({ name, payload });
        const call = callIn(name, payload);
        if (call !== undefined) note(socketId, call);
      }
    }

    return {
      get socketId() {
        return socketId;
      },
      heard,
      answer({ kind, toolCallId, sessionId }, result) {
        const name = kind === "browser" ? "tool_result" : "action_call_result";
        peer.send(`42${JSON.stringify([name, { toolCallId, sessionId, result }])}`);
      },
      emit: (name, payload) => peer.send(`42${JSON.stringify(payload === undefined ? [name] : [name, payload])}`),
      leave: () => peer.send("41"),
      drop: () => peer.drop(),
      async comeBack() {
        peer = await open();
      },
      stall() {
        stalled = true;
      },
      readOn() {
        stalled = false;
        for (const read of unread.splice(0)) read();
      },
    };
  }

  return {
    get sockets() {
      return rig.server.sockets;
    },
    written,
    whenWritten: (times) =>
      new Promise((resolve) => {
        if (written.length >= times) resolve();
        else waiting.push({ times, resolve });
      }),
    connect,
    evict: rig.evict,
  };
}

/** The call that an event requests from a tab, if any. */
function callIn(name: string, payload: JsonObject): ClientCall | undefined {
  if (name !== "browser_tool_call" && name !== "action_call") return undefined;
  const { toolName, sessionId, requestId, toolCallId, args } = payload as unknown as ClientCall & { toolName: string };
  return {
    kind: name === "action_call" ? "action" : "browser",
    name: toolName,
    sessionId,
    requestId,
    toolCallId,
    args,
  };
}
