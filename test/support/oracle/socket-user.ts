/** A user with a real client: signs, opens sessions over HTTP, connects with socket.io-client, sends turns. */
import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client";
import { readFrames, type FrameReader } from "./frame-reader.ts";
import { mintInvocation, signer } from "../auth/ucan.ts";

export interface SocketUser {
  readonly token: string;
  openSession(): Promise<string>;
  /** Connects to the session; all events are recorded from the first one on. */
  connect(sessionId: string | undefined, options?: Partial<ManagerOptions & SocketOptions>): Tab;
  /** Sends a turn and reads its stream. */
  send(sessionId: string, body: object): Promise<{ readonly runId: string; readonly frames: FrameReader }>;
  follow(runId: string): Promise<FrameReader>;
  call(method: string, path: string, body?: object): Promise<Response>;
}

export interface Tab {
  readonly socket: Socket;
  /** Every event so far, in order. */
  readonly events: readonly { readonly name: string; readonly payload: Record<string, unknown> }[];
  /** The first event of that name after skipping `skip` of them. */
  event(name: string, skip?: number): Promise<Record<string, unknown>>;
  /** Why the connection was refused. */
  readonly refused: Promise<string>;
}

/** Seconds of an invocation's life, far longer than a test. */
const TOKEN_SECONDS = 800;

export async function createSocketUser(url: string, seed: number): Promise<SocketUser> {
  const document = await fetch(`${url}/.well-known/did.json`);
  const { id: oracle }: { id: string } = await document.json();
  const token = await mintInvocation(await signer(seed), oracle, Math.floor(Date.now() / 1000) + TOKEN_SECONDS);
  const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan", "Content-Type": "application/json" };
  const call = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  return {
    token,
    call,
    async openSession() {
      const { sessionId }: { sessionId: string } = await (await call("POST", "/sessions")).json();
      return sessionId;
    },
    connect: (sessionId, options = {}) =>
      listen(
        io(url, {
          query: sessionId === undefined ? {} : { sessionId },
          auth: { invocation: token },
          forceNew: true,
          ...options,
        }),
      ),
    async send(sessionId, body) {
      const response = await call("POST", `/messages/${sessionId}`, { stream: true, ...body });
      return { runId: response.headers.get("x-run-id") ?? "", frames: framesOf(response) };
    },
    follow: async (runId) => framesOf(await call("GET", `/runs/${runId}`)),
  };
}

function framesOf(response: Response): FrameReader {
  if (!response.ok || response.body === null) throw new Error(`no stream: ${response.status}`);
  return readFrames(response.body);
}

function listen(socket: Socket): Tab {
  const events: { name: string; payload: Record<string, unknown> }[] = [];
  const waiting: {
    readonly name: string;
    readonly skip: number;
    readonly resolve: (payload: Record<string, unknown>) => void;
  }[] = [];
  const refused = Promise.withResolvers<string>();

  function find(name: string, skip: number): Record<string, unknown> | undefined {
    return events.filter((event) => event.name === name)[skip]?.payload;
  }

  socket.onAny((name: string, payload: Record<string, unknown>) => {
    events.push({ name, payload });
    for (const { name: wanted, skip, resolve } of waiting) {
      const found = find(wanted, skip);
      if (found !== undefined) resolve(found);
    }
  });
  socket.on("connect_error", (error) => {
    // A lost server is not a refusal: the client keeps retrying.
    if (!socket.active) refused.resolve(error.message);
  });
  return {
    socket,
    events,
    refused: refused.promise,
    event: (name, skip = 0) =>
      new Promise((resolve) => {
        const found = find(name, skip);
        if (found === undefined) waiting.push({ name, skip, resolve });
        else resolve(found);
      }),
  };
}
