/**
 * Emits that await the client's acknowledgement. Each is a row with its handler's name, so it survives an eviction, and ends
 * once: by the acknowledgement, its time-out or the disconnection. An id is never used twice, so a late acknowledgement
 * matches none.
 */
import { PacketType } from "socket.io-parser";
import type { AckOutcome, AwaitedAck, SocketRecord } from "../application.ts";
import { least, parseJson } from "../database.ts";
import type { ServerContext } from "./context.ts";
import { eventData } from "./emitter.ts";
import { encodePacket } from "./packets.ts";
import type { StoredSocket } from "./stored-socket.ts";

type Row = { id: number; socket_id: string; handler: string; context: string | null };

export type Acknowledgements<Data> = ReturnType<typeof createAcknowledgements<Data>>;

export function createAcknowledgements<Data>({ ports, engine, sockets, callbacks }: ServerContext<Data>) {
  const { sql } = ports.storage;

  function take(where: string, ...values: readonly SqlStorageValue[]): readonly Row[] {
    return sql
      .exec<Row>(`DELETE FROM socketio_acks WHERE ${where} RETURNING id, socket_id, handler, context`, ...values)
      .toArray()
      .toSorted((one, other) => one.id - other.id);
  }

  function end(socket: SocketRecord<Data> | undefined, { handler, context }: Row, outcome: AckOutcome): void {
    if (socket === undefined) return;
    callbacks.acknowledged(handler, socket, outcome, context === null ? undefined : parseJson(context));
  }

  return {
    emitWithAck(socketId: string, name: string, args: readonly unknown[], awaited: AwaitedAck): boolean {
      const { handler, context, timeoutMs } = awaited;
      if (!callbacks.hasHandler(handler)) throw new Error(`no acknowledgement handler "${handler}"`);
      const data = eventData(name, args);
      const socket = sockets.find(socketId);
      if (socket === undefined) return false;
      const deadline = ports.now() + timeoutMs;
      const { id } = sql
        .exec<{ id: number }>(
          "INSERT INTO socketio_acks (socket_id, handler, context, due_at) VALUES (?, ?, ?, ?) RETURNING id",
          socketId,
          handler,
          context === undefined ? null : JSON.stringify(context),
          deadline,
        )
        .one();
      engine.scheduleBy(deadline);
      engine.send(socket.sid, encodePacket(PacketType.EVENT, socket.namespace, data, id));
      return true;
    },

    /** An acknowledgement that is not awaited, or not from this socket, is ignored. */
    receive(socket: StoredSocket, id: number, args: readonly unknown[]): void {
      const [awaited] = take("id = ? AND socket_id = ?", id, socket.id);
      if (awaited === undefined) ports.log("info", "socketio.ack-ignored", { ackId: id });
      else end(callbacks.recordOf(socket), awaited, { ok: true, args });
    },

    expire(): void {
      for (const awaited of take("due_at <= ?", ports.now())) {
        const socket = sockets.find(awaited.socket_id);
        end(socket && callbacks.recordOf(socket), awaited, { ok: false, reason: "timeout" });
      }
    },

    /** @param socket undefined if its data cannot be read; then no handler is called. */
    abandon(socketId: string, socket: SocketRecord<Data> | undefined): void {
      for (const awaited of take("socket_id = ?", socketId))
        end(socket, awaited, { ok: false, reason: "disconnected" });
    },

    nextDeadline: () => least(sql, "SELECT MIN(due_at) AS least FROM socketio_acks"),
  };
}
