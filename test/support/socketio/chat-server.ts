/** A small chat on a socket server in Node: a client that sends a name connects, and all events are recorded. */
import type {
  AckOutcome,
  Application,
  ConnectResult,
  SocketServer,
  SocketServerOptions,
} from "../../../socketio/index.ts";
import { createSocketObject, type Peer } from "./object-in-node.ts";

export interface Person {
  readonly name: string;
}

/** @param options override the defaults, which disable pings in practice. */
export function createChat(
  options: Partial<SocketServerOptions> = {},
  authenticate: Application<Person>["authenticate"] = authenticateByName,
) {
  const events: unknown[] = [];
  const object = createSocketObject<Person>(
    (server) => ({
      authenticate,
      onConnect: ({ data, namespace }, recovered) => void events.push(["connect", namespace, data.name, recovered]),
      onEvent({ id, data, namespace }, name, args, ackId) {
        const described = args.map((value) => (value instanceof ArrayBuffer ? value.byteLength : value));
        events.push([name, data.name, ...described]);
        if (name === "shout") server().emit({ namespace, except: [id] }, "shout", args);
        if (name === "echo" && ackId !== undefined) server().acknowledge(id, ackId, args);
        if (name === "fail") throw new Error("a bug");
      },
      onDisconnect: ({ data }, reason) => void events.push(["disconnect", data.name, reason]),
      acknowledgements: {
        answer: ({ data }, outcome: AckOutcome, context) => void events.push(["answer", data.name, outcome, context]),
      },
    }),
    { pingIntervalMs: 10_000_000, ...options },
  );

  async function enter(name: string, namespace = ""): Promise<Peer> {
    const peer = await object.connect();
    peer.send(`40${namespace}${JSON.stringify({ name })}`);
    await object.settle();
    return peer;
  }

  return { object, events, enter, server: (): SocketServer<Person> => object.server };
}

function authenticateByName({
  auth: { name },
}: {
  readonly auth: Readonly<Record<string, unknown>>;
}): ConnectResult<Person> {
  return typeof name === "string"
    ? { ok: true, data: { name }, rooms: ["all"], identity: name }
    : { ok: false, message: "no name", data: { hint: "send a name" }, closeCode: 4401 };
}

/** The socket's id, from the reply to CONNECT. */
export function idOf(peer: Peer): string {
  const reply = peer.inbox.find((frame) => frame.startsWith("40")) ?? "";
  return (JSON.parse(reply.slice(reply.indexOf("{"))) as { sid: string }).sid;
}
