/** A session's socket on a Socket.IO server that refuses, ends and repeats as an oracle may. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { Server, type Socket as ServerSocket } from "socket.io";
import { createClientTools, type ClientTools } from "../../../sdk/src/core/client-tools.ts";
import { openSessionSocket, type SessionSocket } from "../../../sdk/src/core/socket.ts";
import type { Tokens } from "../../../sdk/src/core/tokens.ts";

/** Starts a server for each test of the file. */
export function sessionSockets() {
  const SESSION = "S";
  let server: Server;
  let url: string;
  /** The server's sockets, in order of their connections, and the events that clients sent. */
  let sockets: ServerSocket[];

  let heard: (readonly [string, unknown])[];
  /** The oracle's responses to the next CONNECTs; if the list is empty, it accepts. */
  let refusals: { readonly message: string; readonly data?: object }[];

  let handshakes: unknown[];
  /** The oracle's address is unknown until this promise resolves. */
  let reachable: Promise<void>;

  const opened: SessionSocket[] = [];
  beforeEach(async () => {
    [sockets, heard, refusals, handshakes] = [[], [], [], []];
    reachable = Promise.resolve();
    const http = createServer();
    server = new Server(http, { path: "/oracle/socket.io", connectionStateRecovery: { skipMiddlewares: false } });
    server.use((socket, next) => {
      handshakes.push(socket.handshake.auth);
      const refusal = refusals.shift();
      next(refusal === undefined ? undefined : Object.assign(new Error(refusal.message), { data: refusal.data }));
    });
    server.on("connection", (socket) => {
      sockets.push(socket);
      socket.onAny((name: string, payload: unknown) => {
        heard.push([name, payload]);
        if (name === "ping") socket.emit("pong", {});
      });
      socket.emit("connected", { sessionId: SESSION });
    });
    await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/oracle`;
  });

  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.close();
    await server.close();
  });

  function open(tools: ClientTools = createClientTools(), renewals: readonly boolean[] = []) {
    const seen: unknown[] = [];
    const stages: number[] = [];
    let minted = 1;
    const tokens: Pick<Tokens, "handshake" | "renew"> = {
      handshake: async () => ({ invocation: `invocation ${minted}` }),
      async renew(stage) {
        stages.push(stage);
        minted += 1;
        return renewals[stages.length - 1] ?? true;
      },
    };
    const note = (name: string) => (value?: unknown) => void seen.push(value === undefined ? [name] : [name, value]);
    const socket = openSessionSocket({
      sessionId: SESSION,
      userDid: "did:key:alice",
      async socketUrl() {
        await reachable;
        return url;
      },
      tokens: tokens as Tokens,
      tools,
      handlers: {
        onConnected: (connected, refusal) => void seen.push(refusal === undefined ? connected : refusal.message),
        onEvent: note("event"),
        onInvalidated: note("invalidated"),
        onQuestion: note("question"),
        onSignIn: note("sign-in"),
      },
    });
    opened.push(socket);
    return { socket, seen, stages };
  }

  /** The server's socket after this number of connections. */
  async function connection(count = 1): Promise<ServerSocket> {
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThanOrEqual(count), { timeout: 20_000, interval: 5 });
    const socket = sockets[count - 1];
    if (socket === undefined) throw new Error("a connection that was counted is there");
    return socket;
  }

  const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 5 });
  return {
    SESSION,
    get server() {
      return server;
    },
    get sockets() {
      return sockets;
    },
    get heard() {
      return heard;
    },
    get refusals() {
      return refusals;
    },
    set refusals(value) {
      refusals = value;
    },
    get handshakes() {
      return handshakes;
    },
    get reachable() {
      return reachable;
    },
    set reachable(value) {
      reachable = value;
    },
    open,
    connection,
    until,
  };
}
