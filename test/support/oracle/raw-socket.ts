/**
 * A minimal Socket.IO client for tests inside workerd, over the websocket of a fetch: it shows every packet as it arrives,
 * including heartbeats, and records how the connection was closed.
 */
export interface RawSocket {
  /** The next frame, such as `40{"sid":"s1"}`; fails when the connection is closed instead. */
  next(): Promise<string>;
  /** The payload of the next event, which must have that name. */
  event(name: string): Promise<Record<string, unknown>>;
  send(frame: string): void;
  emit(name: string, payload?: unknown): void;
  close(): void;
  /** How the connection ended. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Frames that have arrived and were not read yet. */
  readonly unread: readonly string[];
}

type Fetch = (request: Request) => Promise<Response>;

/** Opens a connection and reads its first frame. */
export async function openRawSocket(
  fetch: Fetch,
  query: string,
  headers: Record<string, string> = {},
): Promise<RawSocket> {
  const url = `https://oracle.test/socket.io/?EIO=4&transport=websocket${query}`;
  const response = await fetch(new Request(url, { headers: { Upgrade: "websocket", ...headers } }));
  const { webSocket } = response;
  if (webSocket === null) throw new Error(`no websocket but ${response.status}: ${await response.text()}`);
  const socket = listen(webSocket);
  const opening = await socket.next();
  if (!opening.startsWith("0{")) throw new Error(`not an opening: ${opening}`);
  return socket;
}

function listen(webSocket: WebSocket): RawSocket {
  const unread: string[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let wake: (() => void) | undefined;
  let over = false;
  webSocket.addEventListener("message", ({ data }) => {
    unread.push(String(data));
    wake?.();
  });
  webSocket.addEventListener("close", ({ code, reason }) => {
    over = true;
    closed.resolve({ code, reason });
    wake?.();
  });
  webSocket.accept();

  async function next(): Promise<string> {
    while (unread.length === 0) {
      if (over) throw new Error(`closed: ${JSON.stringify(await closed.promise)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return unread.shift() ?? "";
  }

  return {
    next,
    async event(name) {
      const frame = await next();
      const [received, payload] = frame.startsWith("42") ? (JSON.parse(frame.slice(2)) as [string, object]) : [];
      if (received !== name) throw new Error(`expected ${name}: ${frame}`);
      return payload as Record<string, unknown>;
    },
    send: (frame) => webSocket.send(frame),
    emit: (name, ...payload) => webSocket.send(`42${JSON.stringify([name, ...payload])}`),
    close: () => webSocket.close(1000),
    closed: closed.promise,
    unread,
  };
}
