/** The stored events of a server: each has an offset, which a client names to receive those after it. */
import { readTexts } from "../database.ts";
import type { SocketServerOptions } from "../options.ts";
import type { Audience } from "./rooms.ts";

/** Space for the events of one millisecond. */
const OFFSETS_PER_MS = 1000;

const WIRE_BASE = 36;

/** Milliseconds between two deletions of events that are too old. */
const EXPIRY_INTERVAL_MS = 10_000;

/** Share of the events that is deleted when there are too many. */
const DROPPED_SHARE = 0.25;

type Row = { event_offset: number; rooms: string | null; except_rooms: string | null; payload: string };

interface StoredEvent {
  readonly offset: number;
  readonly rooms: readonly string[] | undefined;
  readonly except: readonly string[];
  /** Text form of its frames, joined as in a polling payload. */
  readonly payload: string;
}

export type EventLog = ReturnType<typeof createEventLog>;

/**
 * The stored events. An offset grows with time, so it is never used twice, even if the log was empty and the object evicted
 * in between; on the wire it is written in base 36, as the last argument of the event.
 */
export function createEventLog(sql: SqlStorage, options: SocketServerOptions, now: () => number) {
  const { windowMs, maxEvents, maxBytes } = options.recovery ?? { windowMs: 0, maxEvents: 0, maxBytes: 0 };
  /** How long a dead connection may go unnoticed: events that were sent on it in that time are missed too. */
  const unnoticedMs = options.pingIntervalMs + options.pingTimeoutMs;
  let last = 0;
  let count = 0;
  let bytes = 0;
  let expiredAt = 0;

  function load(): void {
    const row = sql
      .exec<{ last: number | null; count: number; bytes: number }>(
        "SELECT MAX(event_offset) AS last, COUNT(*) AS count, TOTAL(size) AS bytes FROM socketio_events",
      )
      .one();
    last = Math.max(last, row.last ?? 0);
    ({ count, bytes } = row);
  }

  /** No client can miss an event up to here: it has arrived, or the client can no longer be recovered. */
  function expiredOffset(): number {
    return (now() - windowMs - unnoticedMs) * OFFSETS_PER_MS;
  }

  function expire(): void {
    expiredAt = now();
    sql.exec("DELETE FROM socketio_events WHERE event_offset <= ?", expiredOffset());
    load();
  }

  function overflows(): boolean {
    return count > maxEvents || bytes > maxBytes;
  }

  /** Deletes the oldest events and stores up to which offset: a client that needs one of them cannot be recovered. */
  function drop(): void {
    const { through } = sql
      .exec<{ through: number | null }>(
        `SELECT MAX(event_offset) AS through FROM
           (SELECT event_offset FROM socketio_events ORDER BY event_offset LIMIT ?)`,
        Math.ceil(count * DROPPED_SHARE),
      )
      .one();
    if (through === null) return;
    sql.exec("DELETE FROM socketio_events WHERE event_offset <= ?", through);
    sql.exec("DELETE FROM socketio_dropped_events");
    sql.exec("INSERT INTO socketio_dropped_events (through_offset) VALUES (?)", through);
    load();
  }

  return {
    load,

    /** A new offset, higher than any event's so far. */
    nextOffset(): number {
      last = Math.max(last + 1, now() * OFFSETS_PER_MS);
      return last;
    },
    toWire: (offset: number) => offset.toString(WIRE_BASE),
    /** @returns undefined for anything that is not an offset of the past. */
    fromWire(text: unknown): number | undefined {
      if (typeof text !== "string" || !/^[0-9a-z]{1,11}$/.test(text)) return undefined;
      const offset = Number.parseInt(text, WIRE_BASE);
      return offset <= Math.max(last, now() * OFFSETS_PER_MS) ? offset : undefined;
    },

    add(offset: number, { namespace, rooms, except }: Audience, payload: string): void {
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

    /** Whether no event after this offset was dropped that a client may still miss. */
    isComplete(offset: number): boolean {
      const [row] = sql
        .exec<{ through_offset: number }>("SELECT through_offset FROM socketio_dropped_events")
        .toArray();
      return row === undefined || offset >= row.through_offset || row.through_offset <= expiredOffset();
    },

    after(offset: number, namespace: string): readonly StoredEvent[] {
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

    clear(): void {
      if (count === 0) return;
      sql.exec("DELETE FROM socketio_events");
      sql.exec("DELETE FROM socketio_dropped_events");
      load();
    },
  };
}
