/** A small chat on a socket server in Node: whoever says a name is admitted, and everything that happens is written down. */
import type { AckOutcome, Admission, Application } from "../../durable-objects/socketio/application.ts";
import type { SocketServerOptions } from "../../durable-objects/socketio/options.ts";
import type { SocketServer } from "../../durable-objects/socketio/server.ts";
import { createSocketRig, type Peer } from "./socketio-in-node.ts";

export interface Person {
  readonly name: string;
}

/** Options over the defaults, with pings out of the way. Says everything that happens into `told`. */
export function createChatter(options: Partial<SocketServerOptions> = {}, admit?: Application<Person>["authenticate"]) {
  const told: unknown[] = [];
  const rig = createSocketRig<Person>(
    (server) => ({
      authenticate:
        admit ??
        (({ auth }): Admission<Person> =>
          typeof auth["name"] === "string"
            ? { ok: true, data: { name: auth["name"] }, rooms: ["all"], identity: auth["name"] }
            : { ok: false, message: "no name", data: { hint: "say who" }, closeCode: 4401 }),
      onConnect: ({ data, namespace }, recovered) => void told.push(["connect", namespace, data.name, recovered]),
      onEvent({ id, data, namespace }, name, args, ackId) {
        told.push([name, data.name, ...args.map((value) => (value instanceof ArrayBuffer ? value.byteLength : value))]);
        if (name === "shout") server().emit({ namespace, except: [id] }, "shout", args);
        if (name === "echo" && ackId !== undefined) server().acknowledge(id, ackId, args);
        if (name === "fail") throw new Error("a bug");
      },
      onDisconnect: ({ data }, reason) => void told.push(["disconnect", data.name, reason]),
      acknowledgements: {
        answer: ({ data }, outcome: AckOutcome, context) => void told.push(["answer", data.name, outcome, context]),
      },
    }),
    { pingIntervalMs: 10_000_000, ...options },
  );

  async function enter(name: string, namespace = ""): Promise<Peer> {
    const peer = await rig.connect();
    peer.send(`40${namespace}${JSON.stringify({ name })}`);
    await rig.settle();
    return peer;
  }

  return { rig, told, enter, server: (): SocketServer<Person> => rig.server };
}

/** The socket's id, from the answer to CONNECT. */
export function idOf(peer: Peer): string {
  const answer = peer.inbox.find((frame) => frame.startsWith("40")) ?? "";
  return (JSON.parse(answer.slice(answer.indexOf("{"))) as { sid: string }).sid;
}
