/** What a session's agent remembers between turns beside the transcript: loaded plugins, and what old turns said. */
export interface Summary {
  /** The last turn that it covers. */
  readonly turn: number;
  readonly content: string;
}

export type SessionMemory = ReturnType<typeof createSessionMemory>;

export function createSessionMemory(sql: SqlStorage) {
  return {
    loadedPlugins: (): readonly string[] =>
      sql
        .exec<{ plugin: string }>("SELECT plugin FROM loaded_capabilities ORDER BY plugin")
        .toArray()
        .map(({ plugin }) => plugin),

    loadPlugin(plugin: string): void {
      sql.exec("INSERT OR IGNORE INTO loaded_capabilities (plugin) VALUES (?)", plugin);
    },

    summary: (): Summary | undefined =>
      sql.exec<{ turn: number; content: string }>("SELECT turn, content FROM summary").toArray()[0],

    setSummary({ turn, content }: Summary): void {
      sql.exec("INSERT OR REPLACE INTO summary (id, turn, content) VALUES (1, ?, ?)", turn, content);
    },
  };
}
