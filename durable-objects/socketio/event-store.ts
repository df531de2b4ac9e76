/**
 * Events kept for sockets that lose their connection (Socket.IO's connection state recovery). An offset is a number that
 * grows with time, so it never comes twice, also when the store was empty and the object evicted in between; on the
 * wire it is its text to the base 36, the last argument of the event.
 */
import type { RecoveryOptions } from "./options.ts";
import type { Audience } from "./socket-store.ts";
import { readTexts } from "./stored-json.ts";

/** Room for events of one millisecond. */
const OFFSETS_PER_MS = 1000;
const WIRE_BASE = 36;
/** Milliseconds between two looks for events that are too old. */
const EXPIRY_INTERVAL_MS = 10_000;

type Row = {
  event_offset: number;
  rooms: string | null;
  except_rooms: string | null;
  payload: string;
};

export interface MissedEvent {
  readonly offset: number;
  readonly rooms: readonly string[] | undefined;
  readonly except: readonly string[];
  /** Text form of its frames, joined as in a polling payload. */
  readonly payload: string;
}

export interface Kept extends RecoveryOptions {
  /** How long a dead connection may go unnoticed: what was sent on it meanwhile is missing too. */
  readonly unnoticedMs: number;
}

export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(
  sql: SqlStorage,
  { windowMs, maxEvents, maxBytes, unnoticedMs }: Kept,
  now: () => number,
) {
  let last = 0;
  let count = 0;
  let bytes = 0;
  let expiredAt = 0;

  function measure(): void {
    const row = sql
      .exec<{ last: number | null; count: number; bytes: number }>(
        "SELECT MAX(event_offset) AS last, COUNT(*) AS count, TOTAL(size) AS bytes FROM socketio_events",
      )
      .one();
    last = Math.max(last, row.last ?? 0);
    ({ count, bytes } = row);
  }

  /** Up to here nobody can miss anything any more: either it has arrived, or it is too late to come back. */
  function settled(): number {
    return (now() - windowMs - unnoticedMs) * OFFSETS_PER_MS;
  }

  function expire(): void {
    expiredAt = now();
    sql.exec("DELETE FROM socketio_events WHERE event_offset <= ?", settled());
    measure();
  }

  function overflows(): boolean {
    return count > maxEvents || bytes > maxBytes;
  }

  /** Drops the oldest quarter, and remembers up to where: whoever needs one of them cannot be recovered. */
  function drop(): void {
    const through = sql
      .exec<{ through: number | null }>(
        `SELECT MAX(event_offset) AS through FROM
           (SELECT event_offset FROM socketio_events ORDER BY event_offset LIMIT ?)`,
        Math.ceil(count / 4),
      )
      .one().through;
    if (through === null) return;
    sql.exec("DELETE FROM socketio_events WHERE event_offset <= ?", through);
    sql.exec("DELETE FROM socketio_dropped_events");
    sql.exec("INSERT INTO socketio_dropped_events (through_offset) VALUES (?)", through);
    measure();
  }

  /** The offset of what happens now: later than any event so far. */
  function nextOffset(): number {
    last = Math.max(last + 1, now() * OFFSETS_PER_MS);
    return last;
  }

  return {
    wake: measure,
    nextOffset,
    toWire: (offset: number) => offset.toString(WIRE_BASE),

    /** @returns undefined for what is no offset of ours. */
    fromWire(text: unknown): number | undefined {
      if (typeof text !== "string" || !/^[0-9a-z]{1,11}$/.test(text)) return undefined;
      const offset = Number.parseInt(text, WIRE_BASE);
      return offset <= Math.max(last, now() * OFFSETS_PER_MS) ? offset : undefined;
    },

    keep(offset: number, { namespace, rooms, except }: Audience, payload: string): void {
      if (now() - expiredAt >= EXPIRY_INTERVAL_MS) expire();
      sql.exec(
        `INSERT INTO socketio_events (event_offset, namespace, rooms, except_rooms, payload, size)
         VALUES (?, ?, ?, ?, ?, ?)`,
        offset,
        namespace,
        rooms === undefined ? null : JSON.stringify(rooms),
        except === undefined ? null : JSON.stringify(except),
        payload,
        payload.length,
      );
      count += 1;
      bytes += payload.length;
      while (overflows()) drop();
    },

    /** Whether every event after this offset that anybody may still miss is here. */
    reaches(offset: number): boolean {
      const [row] = sql
        .exec<{ through_offset: number }>("SELECT through_offset FROM socketio_dropped_events")
        .toArray();
      return row === undefined || offset >= row.through_offset || row.through_offset <= settled();
    },

    after(offset: number, namespace: string): readonly MissedEvent[] {
      return sql
        .exec<Row>(
          `SELECT event_offset, rooms, except_rooms, payload FROM socketio_events
           WHERE event_offset > ? AND namespace = ? ORDER BY event_offset`,
          offset,
          namespace,
        )
        .toArray()
        .map((row) => ({
          offset: row.event_offset,
          rooms: row.rooms === null ? undefined : readTexts(row.rooms),
          except: row.except_rooms === null ? [] : readTexts(row.except_rooms),
          payload: row.payload,
        }));
    },

    expire,

    /** Nobody is left who could miss anything. */
    clear(): void {
      if (count === 0) return;
      sql.exec("DELETE FROM socketio_events");
      sql.exec("DELETE FROM socketio_dropped_events");
      measure();
    },
  };
}
