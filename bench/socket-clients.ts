/**
 * Thousands of sockets in one process: websockets that speak as much Socket.IO as a client must, which is to enter the
 * namespace and to answer pings. Bare servers speak nothing, so there a client only listens.
 */
import { WebSocket, type RawData } from "ws";

export interface SocketAddress {
  readonly url: string;
  /** Payload of CONNECT; undefined for a bare server. */
  readonly auth: object | undefined;
  /** The client is in when a frame begins like this; a bare one when the websocket is open. */
  readonly welcome?: string;
}

export interface SocketClient {
  /** An event with its arguments as JSON, such as `"emit",true`. */
  readonly send: (event: string) => void;
  /** Whom every further event is told to, as its frame. */
  onEvent: (frame: Buffer) => void;
  /** The server has closed it, or the network has. */
  onClose: (code: number) => void;
  readonly isOpen: () => boolean;
  readonly leave: () => void;
}

/** Connections that are being made at a time; more than a listening socket of workerd has in its queue are refused. */
const AT_ONCE = 64;
const WELCOME = "40";
/** The first characters of packets as bytes. */
const [OPEN, PING, EVENT, MESSAGE] = Buffer.from("0224");

/** @throws when one of them is refused. */
export async function connectAll(addresses: readonly SocketAddress[]): Promise<readonly SocketClient[]> {
  const clients: SocketClient[] = [];
  const waiting = [...addresses.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) clients[next[0]] = await connect(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return clients;
}

function connect({ url, auth, welcome = WELCOME }: SocketAddress): Promise<SocketClient> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const client: SocketClient = {
    send: (event) => socket.send(`42[${event}]`),
    onEvent: () => undefined,
    onClose: () => undefined,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    leave: () => socket.terminate(),
  };
  return new Promise((resolve, reject) => {
    let isIn = false;
    socket.on("message", (data: RawData) => {
      const frame = data as Buffer;
      if (isIn && frame[0] === MESSAGE && frame[1] === EVENT) client.onEvent(frame);
      else if (frame[0] === PING) socket.send("3");
      else if (frame[0] === OPEN) socket.send(`40${JSON.stringify(auth ?? {})}`);
      if (!isIn && frame.toString("latin1", 0, welcome.length) === welcome) {
        isIn = true;
        resolve(client);
      } else if (!isIn && frame.toString("latin1", 0, 2) === "44") reject(new Error(`refused: ${frame.toString()}`));
    });
    socket.on("open", () => {
      if (auth !== undefined) return;
      isIn = true;
      resolve(client);
    });
    socket.on("error", reject);
    socket.on("close", (code) => {
      reject(new Error(`${url} closed with ${code}`));
      client.onClose(code);
    });
  });
}
