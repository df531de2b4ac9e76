/**
 * Packets with binary of which attachments are still to come, one per session. They are in SQLite as soon as they
 * arrive: between two messages of one packet the object may be evicted.
 */
export interface Partial {
  readonly header: string;
  readonly parts: readonly ArrayBuffer[];
}

export type PartialStore = ReturnType<typeof createPartialStore>;

export function createPartialStore(sql: SqlStorage) {
  /** Sessions that have one; nearly always none, and asked with every message. */
  const pending = new Set<string>();

  return {
    wake(): void {
      pending.clear();
      for (const { sid } of sql.exec<{ sid: string }>("SELECT sid FROM socketio_partials")) pending.add(sid);
    },

    has: (sid: string) => pending.has(sid),

    begin(sid: string, header: string): void {
      pending.add(sid);
      sql.exec("INSERT INTO socketio_partials (sid, header) VALUES (?, ?)", sid, header);
    },

    /** @returns the packet as far as it has arrived now. */
    add(sid: string, part: ArrayBuffer): Partial {
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
