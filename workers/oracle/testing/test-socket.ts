/**
 * A connection to a session's Socket.IO channel over the websocket of a fetch: records every event, and answers calls
 * of the client's tools and actions as a page would.
 */
import type { ServerEventName } from "../../../protocol/socket-events.ts";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import { describeThrown } from "../../../platform/log.ts";

export interface SocketEvent {
  readonly name: ServerEventName;
  readonly payload: JsonObject;
}

/** Runs a tool or an action of the client; an exception becomes the call's error. */
export type ClientHandler = (args: JsonObject) => Promise<JsonValue | void> | JsonValue | void;

export interface SocketOptions {
  /** Opens the connection: a request with `Upgrade: websocket`. */
  readonly open: () => Promise<Response>;
  readonly token: () => Promise<string>;
  /** Finds the client's handler for a call. */
  readonly handlerOf: (kind: "tool" | "action", name: string) => ClientHandler | undefined;
  readonly onEvent: (event: SocketEvent) => void;
}

export interface TestSocket {
  /** Resolves when every event that was sent before has arrived. */
  settled(): Promise<void>;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
}

export async function openTestSocket({ open, token, handlerOf, onEvent }: SocketOptions): Promise<TestSocket> {
  const { webSocket, status } = await open();
  if (webSocket === null) throw new Error(`the session's channel refused the connection: ${status}`);
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const pongs: (() => void)[] = [];

  const emit = (name: string, payload: object): void => webSocket.send(`42${JSON.stringify([name, payload])}`);

  async function answer(event: "tool_result" | "action_call_result", call: JsonObject): Promise<void> {
    const { toolCallId, toolName, args } = call;
    const handler = handlerOf(event === "tool_result" ? "tool" : "action", toolName as string);
    if (handler === undefined) return;
    try {
      emit(event, { toolCallId, result: (await handler((args ?? {}) as JsonObject)) ?? null });
    } catch (thrown) {
      emit(event, { toolCallId, error: describeThrown(thrown) });
    }
  }

  function receive(name: ServerEventName, payload: JsonObject): void {
    if (name === "pong") return pongs.shift()?.();
    if (name === "connected") return connected.resolve();
    onEvent({ name, payload });
    if (name === "browser_tool_call") void answer("tool_result", payload);
    if (name === "action_call") void answer("action_call_result", payload);
  }

  webSocket.addEventListener("message", ({ data }) => {
    const packet = String(data);
    if (packet === "2") webSocket.send("3");
    else if (packet.startsWith("44")) connected.reject(new Error(`the session's channel refused: ${packet.slice(2)}`));
    else if (packet.startsWith("42")) {
      const [name, payload = {}] = JSON.parse(packet.slice(2)) as [ServerEventName, JsonObject?];
      receive(name, payload);
    }
  });
  function end(): void {
    connected.reject(new Error("the session's channel closed the connection"));
    for (const pong of pongs.splice(0)) pong();
    closed.resolve();
  }
  webSocket.addEventListener("close", end);
  webSocket.addEventListener("error", end);
  webSocket.accept();
  webSocket.send(`40${JSON.stringify({ invocation: await token() })}`);
  await connected.promise;
  return {
    settled: () =>
      new Promise((resolve) => {
        if (webSocket.readyState !== WebSocket.OPEN) return resolve();
        pongs.push(resolve);
        emit("ping", {});
      }),
    closed: closed.promise,
  };
}
