/**
 * Acknowledgements that are awaited from clients, each with the name of its handler. An id is never used twice, so that
 * an answer after its time-out meets nothing.
 */
import { least } from "./engine/session-store.ts";

export interface Awaited {
  readonly id: number;
  readonly socketId: string;
  readonly handler: string;
  readonly context: unknown;
}

type Row = { id: number; socket_id: string; handler: string; context: string | null };

export type AckStore = ReturnType<typeof createAckStore>;

export function createAckStore(sql: SqlStorage) {
  function take(where: string, ...values: readonly SqlStorageValue[]): readonly Awaited[] {
    return sql
      .exec<Row>(`DELETE FROM socketio_acks WHERE ${where} RETURNING id, socket_id, handler, context`, ...values)
      .toArray()
      .map(({ id, socket_id, handler, context }) => ({
        id,
        socketId: socket_id,
        handler,
        context: context === null ? undefined : (JSON.parse(context) as unknown),
      }))
      .toSorted((one, other) => one.id - other.id);
  }

  return {
    /** @returns the id that goes with the event. */
    insert(socketId: string, handler: string, context: unknown, dueAt: number): number {
      return sql
        .exec<{ id: number }>(
          "INSERT INTO socketio_acks (socket_id, handler, context, due_at) VALUES (?, ?, ?, ?) RETURNING id",
          socketId,
          handler,
          context === undefined ? null : JSON.stringify(context),
          dueAt,
        )
        .one().id;
    },

    /** What this socket was asked to acknowledge; awaited no more. */
    take: (socketId: string, id: number) => take("id = ? AND socket_id = ?", id, socketId)[0],
    takeOf: (socketId: string) => take("socket_id = ?", socketId),
    takeDue: (now: number) => take("due_at <= ?", now),
    nextDue: () => least(sql, "SELECT MIN(due_at) AS least FROM socketio_acks"),
  };
}
