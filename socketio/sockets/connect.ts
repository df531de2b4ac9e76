/**
 * CONNECT: the application authenticates the client, limits are checked, and the reply is a new socket, a recovered one or
 * CONNECT_ERROR.
 */
import { PacketType } from "socket.io-parser";
import type { ConnectRequest, ConnectResult } from "../application.ts";
import { CloseCode } from "../engine/packets.ts";
import type { ServerContext } from "./context.ts";
import { encodePacket } from "./packets.ts";
import type { Recoverable, Recovery } from "./recovery.ts";

type Accepted<Data> = Extract<ConnectResult<Data>, { ok: true }>;
type Rejected = Extract<ConnectResult<never>, { ok: false }>;

/** A CONNECT that has no reply yet. */
interface Pending extends ConnectRequest {
  readonly sid: string;
  readonly pid: unknown;
  readonly offset: unknown;
}

const TOO_MANY: Rejected = { ok: false, message: "Too many connections" };
const INVALID_NAMESPACE: Rejected = { ok: false, message: "Invalid namespace" };

/** @param recovery undefined: switched off. */
export function createConnect<Data>(context: ServerContext<Data>, recovery: Recovery | undefined) {
  const { options, ports, engine, sockets, rooms, events, callbacks } = context;
  /** Session and namespace of each pending CONNECT. */
  const pending = new Set<string>();

  function reject(
    { sid, namespace }: Pick<Pending, "sid" | "namespace">,
    { message, data, closeCode }: Rejected,
  ): void {
    const payload = data === undefined ? { message } : { message, data };
    engine.send(sid, encodePacket(PacketType.CONNECT_ERROR, namespace, payload));
    if (closeCode !== undefined) engine.close(sid, "forced server close", closeCode);
  }

  function accept(connecting: Pending, accepted: Accepted<Data>): void {
    const { namespace } = connecting;
    const recoverable = recovery?.find({ ...connecting, identity: accepted.identity });
    // The client is back before its old connection was seen to be dead.
    if (recoverable !== undefined && recoverable.socket.lostAt === undefined)
      engine.close(recoverable.socket.sid, "transport error");
    const joined = recoverable === undefined ? (accepted.rooms ?? []) : [...rooms.of(recoverable.socket.id).keys()];
    const isFull = sockets.count(namespace) >= options.maxSockets;
    if (isFull || joined.some((room) => rooms.isFull(namespace, room))) reject(connecting, TOO_MANY);
    else if (recoverable === undefined) create(connecting, accepted);
    else recover(connecting, recoverable, accepted);
  }

  function create({ sid, namespace, request }: Pending, accepted: Accepted<Data>): void {
    const id = ports.newId();
    const pid = recovery === undefined ? undefined : ports.newId();
    const connectedOffset = events.nextOffset();
    sockets.insert({
      id,
      sid,
      namespace,
      pid,
      identity: accepted.identity,
      data: JSON.stringify(accepted.data ?? null),
      request: JSON.stringify(request),
      connectedAt: ports.now(),
      connectedOffset,
    });
    for (const room of accepted.rooms ?? []) rooms.add({ id, namespace }, room, connectedOffset);
    reply(sid, namespace, id, pid);
    connected(id, false);
  }

  function recover(
    { sid, namespace, request }: Pending,
    { socket, after }: Recoverable,
    accepted: Accepted<Data>,
  ): void {
    const missed = recovery?.missed(socket, after) ?? [];
    sockets.restore(socket.id, sid, JSON.stringify(request));
    const kept = accepted.recoverData && callbacks.parse(socket);
    if (kept !== undefined) sockets.setData(socket.id, JSON.stringify(accepted.recoverData?.(kept.data) ?? null));
    reply(sid, namespace, socket.id, socket.pid);
    for (const frames of missed) engine.send(sid, frames);
    connected(socket.id, true);
  }

  function reply(sid: string, namespace: string, id: string, pid: string | undefined): void {
    engine.sessions.setEmptySince(sid, undefined);
    engine.send(sid, encodePacket(PacketType.CONNECT, namespace, pid === undefined ? { sid: id } : { sid: id, pid }));
  }

  function connected(id: string, recovered: boolean): void {
    const socket = sockets.find(id);
    if (socket !== undefined) callbacks.connected(socket, recovered);
  }

  return (sid: string, namespace: string, payload: Readonly<Record<string, unknown>>): void => {
    const request = engine.find(sid)?.request;
    if (request === undefined) return;
    if (!options.namespaces.includes(namespace)) {
      reject({ sid, namespace }, INVALID_NAMESPACE);
      return;
    }
    const key = `${sid} ${namespace}`;
    if (pending.has(key) || sockets.findIn(sid, namespace) !== undefined) {
      engine.close(sid, "parse error", CloseCode.BAD_PACKET);
      return;
    }
    const { pid, offset, ...rest } = payload;
    const connecting = { request, namespace, auth: recovery === undefined ? payload : rest };
    pending.add(key);
    callbacks.authenticate(connecting, (result) => {
      pending.delete(key);
      // The client may have left in the meantime.
      if (!engine.isOpen(sid)) return;
      if (result.ok) accept({ ...connecting, sid, pid, offset }, result);
      else reject({ sid, namespace }, result);
    });
  };
}
