/**
 * Packets of clients: each message of a session is decoded, with its attachments if it has any, and goes to the namespace
 * that it names. A malformed packet, or one for a namespace that the client is not in, closes the session.
 */
import { PacketType } from "socket.io-parser";
import { CloseCode, type Message } from "../engine/packets.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { ServerContext } from "./context.ts";
import type { Disconnect } from "./disconnect.ts";
import { decodePacket, type SocketPacket } from "./packets.ts";
import type { StoredSocket } from "./stored-socket.ts";

interface IncomingDependencies<Data> {
  readonly partials: PartialPackets;
  readonly acknowledgements: Acknowledgements<Data>;
  readonly disconnect: Disconnect;
  readonly connect: (sid: string, namespace: string, payload: Readonly<Record<string, unknown>>) => void;
}

export function createIncoming<Data>(context: ServerContext<Data>, dependencies: IncomingDependencies<Data>) {
  const { options, engine, sockets, callbacks } = context;
  const { partials, acknowledgements, disconnect, connect } = dependencies;

  function malformed(sid: string): void {
    engine.close(sid, "parse error", CloseCode.BAD_PACKET);
  }

  function receiveText(sid: string, text: string): void {
    const decoded = partials.has(sid) ? "malformed" : decodePacket(text);
    if (typeof decoded !== "string") dispatch(sid, decoded);
    else if (decoded === "incomplete" && options.binary) partials.begin(sid, text);
    else malformed(sid);
  }

  function receiveAttachment(sid: string, bytes: ArrayBuffer): void {
    if (!partials.has(sid)) {
      malformed(sid);
      return;
    }
    const { header, parts } = partials.add(sid, bytes);
    if (parts.reduce((sum, part) => sum + part.byteLength, header.length) > options.maxPayload) {
      engine.close(sid, "transport error", CloseCode.TOO_LARGE);
      return;
    }
    const decoded = decodePacket(header, parts);
    if (decoded === "incomplete") return;
    partials.remove(sid);
    if (decoded === "malformed") malformed(sid);
    else dispatch(sid, decoded);
  }

  function dispatch(sid: string, packet: SocketPacket): void {
    const { type, namespace, data } = packet;
    if (type === PacketType.CONNECT) {
      connect(sid, namespace, (data ?? {}) as Record<string, unknown>);
      return;
    }
    const socket = sockets.findIn(sid, namespace);
    if (socket === undefined || !deliver(socket, packet)) malformed(sid);
  }

  /** @returns false for a packet that clients do not send. */
  function deliver(socket: StoredSocket, { type, id, data }: SocketPacket): boolean {
    if (type === PacketType.DISCONNECT) {
      disconnect.byClient(socket);
      return true;
    }
    if (data === undefined) return false;
    if (type === PacketType.EVENT) {
      const [name, ...args] = data as [string | number, ...unknown[]];
      callbacks.event(socket, String(name), args, id);
      return true;
    }
    if (type !== PacketType.ACK || id === undefined) return false;
    acknowledgements.receive(socket, id, data as unknown[]);
    return true;
  }

  return (sid: string, message: Message): void => {
    if (typeof message === "string") receiveText(sid, message);
    else receiveAttachment(sid, message);
  };
}

export type PartialPackets = ReturnType<typeof createPartialPackets>;

/**
 * Binary packets whose attachments have not all come, at most one per session. They are in SQLite: the object may be
 * evicted between two messages of one packet.
 */
export function createPartialPackets(sql: SqlStorage) {
  /** Sessions that have one: nearly always none, and checked with every message. */
  const pending = new Set<string>();

  return {
    load(): void {
      pending.clear();
      for (const { sid } of sql.exec<{ sid: string }>("SELECT sid FROM socketio_partials")) pending.add(sid);
    },

    has: (sid: string) => pending.has(sid),

    begin(sid: string, header: string): void {
      pending.add(sid);
      sql.exec("INSERT INTO socketio_partials (sid, header) VALUES (?, ?)", sid, header);
    },

    /** @returns the packet as far as it has come. */
    add(sid: string, part: ArrayBuffer): { readonly header: string; readonly parts: readonly ArrayBuffer[] } {
      sql.exec("INSERT INTO socketio_partial_parts (sid, bytes) VALUES (?, ?)", sid, part);
      const { header } = sql.exec<{ header: string }>("SELECT header FROM socketio_partials WHERE sid = ?", sid).one();
      const rows = sql.exec<{ bytes: ArrayBuffer }>(
        "SELECT bytes FROM socketio_partial_parts WHERE sid = ? ORDER BY position",
        sid,
      );
      return { header, parts: rows.toArray().map(({ bytes }) => bytes) };
    },

    remove(sid: string): void {
      if (!pending.delete(sid)) return;
      sql.exec("DELETE FROM socketio_partials WHERE sid = ?", sid);
      sql.exec("DELETE FROM socketio_partial_parts WHERE sid = ?", sid);
    },
  };
}
