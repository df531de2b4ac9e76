/**
 * How a client enters a namespace: the application is asked, limits are kept, and CONNECT answered with a new socket, a
 * recovered one or CONNECT_ERROR.
 */
import { PacketType } from "socket.io-parser";
import type { Admission, Application, Connecting } from "./application.ts";
import { describe, type Call } from "./callbacks.ts";
import { BAD_PACKET } from "./engine/close-codes.ts";
import type { Engine } from "./engine/engine.ts";
import type { EventStore } from "./event-store.ts";
import type { SocketServerOptions } from "./options.ts";
import { encodePacket } from "./packets.ts";
import type { ServerPorts } from "./ports.ts";
import type { Recoverable, Recovery } from "./recovery.ts";
import type { Rooms } from "./rooms.ts";
import { recordOf, type SocketStore } from "./socket-store.ts";

interface Parts<Data> {
  readonly application: Application<Data>;
  readonly options: SocketServerOptions;
  readonly ports: Pick<ServerPorts, "now" | "newId" | "log">;
  readonly engine: Engine;
  readonly sockets: SocketStore;
  readonly rooms: Rooms;
  readonly events: EventStore;
  /** Undefined when it is switched off. */
  readonly recovery: Recovery | undefined;
  readonly call: Call;
}

type Payload = Readonly<Record<string, unknown>>;
type Refusal = Extract<Admission<unknown>, { ok: false }>;
type Welcome<Data> = Extract<Admission<Data>, { ok: true }>;

/** A client in the act of entering. */
interface Entry {
  readonly sid: string;
  readonly namespace: string;
  readonly connecting: Connecting;
  readonly pid: unknown;
  readonly offset: unknown;
}

const TOO_MANY: Refusal = { ok: false, message: "Too many connections" };
const INVALID_NAMESPACE: Refusal = { ok: false, message: "Invalid namespace" };
const FAILED: Refusal = { ok: false, message: "Internal server error" };

export function createAdmission<Data>(parts: Parts<Data>) {
  const { application, options, ports, engine, sockets, rooms, events, recovery, call } = parts;
  /** CONNECTs that the application has not answered yet, as session and namespace. */
  const pending = new Set<string>();

  async function authenticate(connecting: Connecting): Promise<Admission<Data>> {
    try {
      return await application.authenticate(connecting);
    } catch (thrown) {
      ports.log("error", "socketio.callback-failed", { callback: "authenticate", error: describe(thrown) });
      return FAILED;
    }
  }

  async function answer(entry: Entry, key: string): Promise<void> {
    const admission = await authenticate(entry.connecting);
    pending.delete(key);
    // The client may have left meanwhile.
    if (!engine.isOpen(entry.sid)) return;
    if (admission.ok) enter(entry, admission);
    else refuse(entry, admission);
  }

  function refuse({ sid, namespace }: Pick<Entry, "sid" | "namespace">, { message, data, closeCode }: Refusal): void {
    const payload = data === undefined ? { message } : { message, data };
    engine.send(sid, encodePacket(PacketType.CONNECT_ERROR, namespace, payload));
    if (closeCode !== undefined) engine.close(sid, "forced server close", closeCode);
  }

  function enter(entry: Entry, welcome: Welcome<Data>): void {
    const claimed = recovery?.find({ ...entry, identity: welcome.identity });
    // The old connection is dead, though nobody has noticed yet.
    if (claimed?.socket.lostAt === undefined && claimed !== undefined)
      engine.close(claimed.socket.sid, "transport error");
    const isFull = sockets.count(entry.namespace) >= options.maxSockets;
    const joined = claimed === undefined ? (welcome.rooms ?? []) : [...sockets.roomsOf(claimed.socket.id).keys()];
    if (isFull || joined.some((room) => rooms.isFull(entry.namespace, room))) refuse(entry, TOO_MANY);
    else if (claimed === undefined) admit(entry, welcome);
    else recover(entry, claimed, welcome);
  }

  function admit({ sid, namespace, connecting: { request } }: Entry, { data, rooms: joined, identity }: Welcome<Data>) {
    const id = ports.newId();
    const pid = recovery === undefined ? undefined : ports.newId();
    const connectedOffset = events.nextOffset();
    sockets.insert({
      id,
      sid,
      namespace,
      pid,
      identity,
      data: JSON.stringify(data ?? null),
      request: JSON.stringify(request),
      connectedAt: ports.now(),
      connectedOffset,
    });
    for (const room of joined ?? []) sockets.join({ id, namespace }, room, connectedOffset);
    welcomeTo(sid, namespace, id, pid);
    tell(id, false);
  }

  function recover(entry: Entry, { socket, after }: Recoverable, { data, replacesData }: Welcome<Data>): void {
    const { sid, namespace, connecting } = entry;
    const missed = recovery?.missed(socket, after) ?? [];
    sockets.restore(socket.id, sid, JSON.stringify(connecting.request));
    if (replacesData === true) sockets.setData(socket.id, JSON.stringify(data ?? null));
    welcomeTo(sid, namespace, socket.id, socket.pid);
    for (const frames of missed) engine.send(sid, frames);
    tell(socket.id, true);
  }

  function welcomeTo(sid: string, namespace: string, id: string, pid: string | undefined): void {
    engine.sessions.setEmptySince(sid, undefined);
    engine.send(sid, encodePacket(PacketType.CONNECT, namespace, pid === undefined ? { sid: id } : { sid: id, pid }));
  }

  function tell(id: string, recovered: boolean): void {
    const stored = sockets.find(id);
    if (stored !== undefined) call("onConnect", () => application.onConnect?.(recordOf<Data>(stored), recovered));
  }

  return {
    /** CONNECT has come. */
    connect(sid: string, namespace: string, payload: Payload): void {
      const request = engine.find(sid)?.request;
      if (request === undefined) return;
      if (!options.namespaces.includes(namespace)) {
        refuse({ sid, namespace }, INVALID_NAMESPACE);
        return;
      }
      const key = `${sid} ${namespace}`;
      if (pending.has(key) || sockets.findIn(sid, namespace) !== undefined) {
        engine.close(sid, "parse error", BAD_PACKET);
        return;
      }
      const { pid, offset, ...rest } = payload;
      const auth = recovery === undefined ? payload : rest;
      const entry: Entry = { sid, namespace, connecting: { request, namespace, auth }, pid, offset };
      pending.add(key);
      call("admission", () => answer(entry, key));
    },
  };
}
