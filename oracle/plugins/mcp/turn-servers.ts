/**
 * The servers in one turn: their lists, read at its start if they are old, concurrently and each for a few seconds; and a
 * connection to each called server, which ends with the turn.
 */
import { describeThrown } from "../../../platform/log.ts";
import type { RuntimeContext } from "../../framework/context.ts";
import type { Authorization, ServerAuthorization } from "./authorization.ts";
import { connect, REACH_MS, Refused, type Connection, type Elicit } from "./connection.ts";
import { readTools, type ListedTool } from "./listed-tool.ts";
import type { Fetch } from "./server-fetch.ts";
import type { McpServer, McpSettings } from "./settings.ts";
import { maySignIn } from "./sign-in.ts";
import { createMarker, expiryOf, sharedPlace, userPlace, type ListPlace, type ToolList } from "./tool-lists.ts";

/** How long an unreachable server is not contacted again, milliseconds: otherwise each turn would wait for it. */
export const DOWN_MS = 30_000;

export interface Platform {
  readonly fetch: Fetch;
  readonly clock: () => number;
  readonly authorization: ServerAuthorization;
}

/** A server's state in a turn. */
export interface ReachedServer {
  readonly server: McpServer;
  /** As last read, even if the user has to sign in again. */
  readonly tools: readonly ListedTool[];
  readonly omitted: number;
  readonly isDown: boolean;
  /** Whether the server was contacted in this turn. */
  readonly wasAsked: boolean;
  /** The user has to sign in, and the tools are unknown. */
  readonly isUnknown: boolean;
}

type NotAllowed = Exclude<Authorization, { kind: "headers" }>;

/** Used by connections without calls: only a call has a user to ask. */
const declineElicitation: Elicit = async () => ({ action: "decline" });

/** The connection to a server for the calls of a turn. */
interface Opening {
  readonly connection: Promise<Connection>;
  made: Connection | undefined;
}

/** An isolate's cache of servers, by name. */
export interface ServerMemory {
  readonly lists: Map<string, ToolList>;
  /** Unix milliseconds. */
  readonly downUntil: Map<string, number>;
}

export type TurnServers = ReturnType<typeof createTurnServers>;

export function createTurnServers(
  ctx: RuntimeContext<McpSettings>,
  { lists, downUntil }: ServerMemory,
  { fetch, clock, authorization }: Platform,
) {
  const open = new Map<string, Opening>();
  const dropped: Connection[] = [];

  function placeOf({ name, auth }: McpServer): ListPlace {
    return auth === "oauth" ? userPlace(ctx.kv, name) : sharedPlace(lists, name);
  }

  async function headersFor(server: McpServer): Promise<Authorization> {
    return server.auth === "oauth" ? authorization.headersFor(server, ctx) : { kind: "headers", headers: {} };
  }

  function openTo(
    server: McpServer,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    list: ToolList | undefined,
    elicit: Elicit,
  ): Promise<Connection> {
    return connect({
      server,
      fetch,
      headers,
      signal,
      prior: list?.prior,
      ...(server.auth === "oauth" ? { onRefused: (refusal) => authorization.refused(server, refusal, ctx) } : {}),
      onListChanged: createMarker(placeOf(server), ctx.background),
      elicit,
    });
  }

  function startOpening(server: McpServer, headers: Readonly<Record<string, string>>, elicit: Elicit): Opening {
    const opened = async (): Promise<Connection> => {
      const connection = await openTo(server, headers, ctx.abortSignal, await placeOf(server).get(), elicit);
      connection.listen();
      return connection;
    };
    return { connection: opened(), made: undefined };
  }

  /** Reads a server's list, and stores it. */
  async function readList(server: McpServer, headers: Readonly<Record<string, string>>): Promise<ToolList> {
    const deadline = AbortSignal.timeout(REACH_MS);
    const signal = AbortSignal.any([ctx.abortSignal, deadline]);
    const reading = (async () => {
      const connection = await openTo(server, headers, signal, undefined, declineElicitation);
      try {
        const answer = await connection.listTools();
        return { ...answer, ...(await readTools(server.name, answer.tools)) };
      } catch (thrown) {
        throw connection.refusal === undefined ? thrown : new Refused(connection.refusal);
      } finally {
        ctx.background(connection.close());
      }
    })();
    const { tools, omitted, prior, ttlMs } = await unlessAborted(reading, signal);
    const list = { tools, omitted, prior, expiresAt: expiryOf(clock(), ttlMs) };
    await placeOf(server)
      .put(list)
      .catch((thrown: unknown) =>
        ctx.logger.warn("mcp-list-not-kept", { server: server.name, reason: describeThrown(thrown) }),
      );
    return list;
  }

  async function reach(server: McpServer): Promise<ReachedServer> {
    const list = await placeOf(server).get();
    const known = { server, tools: list?.tools ?? [], omitted: list?.omitted ?? 0, isDown: false, wasAsked: false };
    if (list !== undefined && list.expiresAt > clock()) return { ...known, isUnknown: false };
    if (server.auth === "oauth" && !maySignIn(ctx)) return { ...known, isUnknown: list === undefined };
    if ((downUntil.get(server.name) ?? 0) > clock()) return { ...known, tools: [], isDown: true, isUnknown: false };
    try {
      const allowed = await headersFor(server);
      if (allowed.kind !== "headers") return { ...known, isUnknown: list === undefined };
      const { tools, omitted } = await readList(server, allowed.headers);
      return { server, tools, omitted, isDown: false, wasAsked: true, isUnknown: false };
    } catch (thrown) {
      if (thrown instanceof Refused) return { ...known, wasAsked: true, isUnknown: list === undefined };
      downUntil.set(server.name, clock() + DOWN_MS);
      ctx.logger.warn("mcp-server-unreachable", { server: server.name, reason: describeThrown(thrown) });
      return { server, tools: [], omitted: 0, isDown: true, wasAsked: true, isUnknown: false };
    }
  }

  return {
    /** Contacts each server once; never rejects because of one. */
    reachAll: (): Promise<readonly ReachedServer[]> => Promise.all(ctx.config.servers.map(reach)),

    /** This turn's connection for calls of that server, or why there is none. */
    async connectionTo(server: McpServer, elicit: Elicit): Promise<Connection | NotAllowed> {
      const allowed = await headersFor(server);
      if (allowed.kind !== "headers") return allowed;
      const opening = open.get(server.name) ?? startOpening(server, allowed.headers, elicit);
      open.set(server.name, opening);
      try {
        opening.made = await opening.connection;
        return opening.made;
      } catch (thrown) {
        if (open.get(server.name) === opening) open.delete(server.name);
        if (thrown instanceof Refused) return thrown.authorization;
        throw thrown;
      }
    },

    /** A connection for a single call, with its own token. */
    async connectionWith(server: McpServer, headers: Readonly<Record<string, string>>, elicit: Elicit) {
      return openTo(server, headers, ctx.abortSignal, await placeOf(server).get(), elicit);
    },

    /** The next call opens a new connection, unless another call that lost this one has already done so. */
    drop(server: McpServer, connection: Connection): void {
      if (open.get(server.name)?.made !== connection) return;
      open.delete(server.name);
      // Other calls may still use it.
      dropped.push(connection);
    },

    async closeAll(): Promise<void> {
      const connections = await Promise.allSettled([...open.values()].map(({ connection }) => connection));
      open.clear();
      await Promise.all(dropped.map((connection) => connection.close()));
      await Promise.all(connections.map(async (one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
    },
  };
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}
