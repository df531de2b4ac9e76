/**
 * The oracle's edge with its real objects in Node: the deployed classes over real SQLite, found by name. A test sees the edge's
 * calls in order, and can make objects unreachable. Only part of the runtime is emulated: storage, alarms that do not fire,
 * background work and the loss of the sessions' memory. Tests inside workerd cover eviction and websockets.
 */
import type { OracleSettings } from "../../../oracle/settings.ts";
import type { PageRequest } from "../../../oracle/runs/transcript.ts";
import type { RunRequest } from "../../../oracle/run-request.ts";
import type { DatabaseSync } from "node:sqlite";
import { defineChatSession } from "../../../durable-objects/chat-session.ts";
import { UserVault } from "../../../durable-objects/user-vault.ts";
import type { OracleSurfaceOptions } from "../../../workers/oracle/oracle-surface.ts";
import { chatSettings } from "./chat-settings.ts";
import { createEdge } from "./oracle-edge.ts";
import { createSqliteDatabase } from "../storage/sqlite-database.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";

export interface WatchedObjects {
  /** The edge's calls to objects, such as `session.create` and `vault.putSession`, in order. */
  readonly calls: string[];
  readonly turns: RunRequest[];
  /** The requested pages of transcripts and session lists. */
  readonly pages: (PageRequest | { readonly limit: number; readonly offset: number })[];
  /** The frame ids after which runs were joined. */
  readonly follows: number[];
  /** The requests passed on to a session's sockets, and the name of the receiving object. */
  readonly connections: { readonly object: string; readonly request: Request }[];
  /** The settings of the oracle's sessions. */
  settings: OracleSettings;
  /** Thrown by every call to a session when set: emulates a broken or busy object. */
  breakage: Error | undefined;
  /** Streams that were returned and neither read to their end nor cancelled. */
  openStreams: number;
  /** Every session loses its memory and keeps its storage, as in an eviction or a kill. */
  loseSessions(): void;
}

export async function edgeOverObjects(env: object = {}, options?: Partial<OracleSurfaceOptions>) {
  const { objects, bindings } = oracleObjectsInNode();
  return { objects, edge: await createEdge({ ...bindings, ...env }, options) };
}

type Calls = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** The objects alone, for tests that do not call the oracle through its edge. */
export function oracleObjectsInNode(variables: Readonly<Record<string, string>> = {}) {
  const objects: WatchedObjects = {
    calls: [],
    turns: [],
    pages: [],
    follows: [],
    connections: [],
    settings: chatSettings(),
    breakage: undefined,
    openStreams: 0,
    loseSessions: () => sessions.lose(),
  };
  const ChatSession = defineChatSession({
    settings: async () => objects.settings,
    channel: () => ({ pingIntervalMs: 180_000, pingTimeoutMs: 60_000, origins: "*" }),
  });
  const env: Record<string, unknown> = { ...variables };
  const sessions = namespace((state) => new ChatSession(state, env as unknown as Env) as unknown as Calls);
  const vaults = namespace((state) => new UserVault(state, env as unknown as Env) as unknown as Calls);
  const DATABASE = createSqliteDatabase(["0001_user_preferences.sql"]);
  // Calls between objects are not recorded.
  Object.assign(env, { CHAT_SESSION: sessions, USER_VAULT: vaults, DATABASE });

  function note(call: string, args: readonly unknown[]): void {
    objects.calls.push(call);
    const [, second, third] = args;
    if (/^session\.(?:start|complete|accept)Run$/.test(call)) objects.turns.push(second as RunRequest);
    if (call === "session.followRun") objects.follows.push(third as number);
    if (call === "session.messagePage" || call === "vault.listSessions") objects.pages.push(second as PageRequest);
  }

  function watched(kind: "session" | "vault", name: string, object: Calls): Calls {
    return new Proxy(object, {
      get:
        (_, call: string) =>
        async (...args: readonly unknown[]): Promise<unknown> => {
          if (call === "fetch") {
            const request = args[0] as Request;
            objects.connections.push({ object: name, request: request.clone() });
            return object[call]?.(request);
          }
          note(`${kind}.${call}`, args);
          if (kind === "session" && objects.breakage !== undefined) throw objects.breakage;
          return withWatchedFrames(await object[call]?.(...args));
        },
    });
  }

  function withWatchedFrames(answer: unknown): unknown {
    const { ok, value } = (answer ?? {}) as { ok?: boolean; value?: { frames?: ReadableStream<Uint8Array> } };
    if (ok !== true || value?.frames === undefined) return answer;
    return { ok, value: { ...value, frames: counted(value.frames) } };
  }

  function counted(frames: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = frames.getReader();
    objects.openStreams += 1;
    // Cancelling a stream ends a pending read: this is one end, not two.
    let isOpen = true;
    const close = (): void => {
      if (isOpen) objects.openStreams -= 1;
      isOpen = false;
    };
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          if (isOpen) controller.close();
          close();
        },
        async cancel(reason) {
          close();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  const bindings = {
    CHAT_SESSION: { getByName: (name: string) => watched("session", name, sessions.getByName(name)) },
    USER_VAULT: { getByName: (name: string) => watched("vault", name, vaults.getByName(name)) },
    DATABASE,
  };
  return { objects, bindings };
}

function namespace(open: (state: DurableObjectState) => Calls) {
  const known = new Map<string, Calls>();
  const states = new Map<string, ReturnType<typeof createState>>();
  const getByName = (name: string): Calls => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const state = createState(states.get(name)?.database);
    const object = open(state.state);
    states.set(name, state);
    known.set(name, object);
    return object;
  };
  function lose(): void {
    for (const { cutOff } of states.values()) cutOff();
    known.clear();
  }
  return { getByName, idFromName: (name: string) => name, get: getByName, lose };
}

/** The state of an object over an empty database, or over a lost object's database. */
function createState(stored?: DatabaseSync) {
  const { sql, transactionSync, database, cutOff } = createSqliteStorage(stored);
  let alarmAt: number | null = null;
  const storage = {
    sql,
    transactionSync,
    setAlarm: async (at: number) => void (alarmAt = at),
    getAlarm: async () => alarmAt,
    deleteAlarm: async () => void (alarmAt = null),
    async deleteAll() {
      const tables = database
        // The tables of a full-text index are dropped with it.
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC")
        .all();
      for (const { name } of tables)
        if (!String(name).startsWith("sqlite_")) database.exec(`DROP TABLE IF EXISTS "${String(name)}"`);
    },
  };
  const waitUntil = (work: Promise<unknown>): void => void work;
  const state = { storage, waitUntil, getWebSockets: () => [] } as unknown as DurableObjectState;
  return { state, database, cutOff };
}
