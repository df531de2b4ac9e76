/** The servers whose sockets are compared, and where a room of each is. */
import type { Runtime } from "./runtime.ts";
import type { SocketAddress } from "./socket-clients.ts";

/** `ours`: an object on the project's server; `bare`: one that knows no protocol; `stock`: socket.io in Node. */
export type SocketSide = "ours" | "bare" | "stock";

export const STOCK = "socket.io in Node";

const ENGINE = "EIO=4&transport=websocket";

export function roomAt(side: SocketSide | "brisk", base: string, room: string): SocketAddress {
  const server = base.replace("http", "ws");
  switch (side) {
    case "ours":
      return { url: `${server}/served-room?${ENGINE}&room=${room}`, auth: {} };
    case "brisk":
      return { url: `${server}/brisk-room?${ENGINE}&room=${room}`, auth: {} };
    case "bare":
      return { url: `${server}/bare-room?room=${room}`, auth: undefined };
    case "stock":
      return { url: `${server}/socket.io/?${ENGINE}&room=${room}`, auth: {} };
  }
}

/** A socket of the chat: it is in when the session has greeted it. */
export function chatSocketAt({ oracle }: Pick<Runtime, "oracle">, sessionId: string, token: string): SocketAddress {
  const url = `${oracle.replace("http", "ws")}/socket.io/?${ENGINE}&sessionId=${sessionId}`;
  return { url, auth: { invocation: token }, welcome: '42["connected"' };
}
