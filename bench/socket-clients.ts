/**
 * Thousands of websockets in one process with the minimum of a Socket.IO client: send CONNECT and answer pings. With a bare server,
 * which has no protocol, a client only receives.
 */
import { WebSocket, type RawData } from "ws";

export interface SocketAddress {
  readonly url: string;
  /** Payload of CONNECT; undefined for a bare server. */
  readonly auth: object | undefined;
  /** The client is connected when a frame begins with this; with a bare server, when the websocket is open. */
  readonly welcome?: string;
}

export interface SocketClient {
  /** An event with its arguments as JSON, such as `"emit",true`. */
  readonly send: (event: string) => void;
  /** Called with the frame of each further event. */
  onEvent: (frame: Buffer) => void;
  /** The server or the network has closed the connection. */
  onClose: (code: number) => void;
  readonly isOpen: () => boolean;
  readonly leave: () => void;
}

/** Connections opened concurrently; workerd refuses more than its listening socket can queue. */
const PARALLEL = 64;
const WELCOME = "40";
const REJECTED = "44";
/** The first characters of packets as bytes. */
const [OPEN, PING, EVENT, MESSAGE] = Buffer.from("0224");

/** @throws if one of them is rejected. */
export async function connectAll(addresses: readonly SocketAddress[]): Promise<readonly SocketClient[]> {
  const clients: SocketClient[] = [];
  const waiting = [...addresses.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) clients[next[0]] = await connect(next[1]);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return clients;
}

export function leaveAll(clients: readonly SocketClient[]): void {
  for (const client of clients) {
    client.onClose = () => undefined;
    client.leave();
  }
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
  const isBare = auth === undefined;
  let isConnected = false;
  return new Promise((resolve, reject) => {
    function connected(): void {
      isConnected = true;
      resolve(client);
    }

    socket.on("message", (data: RawData) => {
      const frame = data as Buffer;
      if (isConnected && frame[0] === MESSAGE && frame[1] === EVENT) client.onEvent(frame);
      else if (frame[0] === PING) socket.send("3");
      else if (frame[0] === OPEN) socket.send(`40${JSON.stringify(auth ?? {})}`);
      else if (frame.toString("latin1", 0, REJECTED.length) === REJECTED) reject(new Error(frame.toString()));
      if (!isConnected && frame.toString("latin1", 0, welcome.length) === welcome) connected();
    });
    socket.on("open", () => isBare && connected());
    socket.on("error", reject);
    socket.on("close", (code) => {
      reject(new Error(`${url} closed with ${code}`));
      client.onClose(code);
    });
  });
}
