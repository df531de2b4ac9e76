/**
 * Connections to PostgreSQL. A socket of a Worker belongs to the request that opened it, and Hyperdrive has the pool; so a request
 * opens its own connection at its first statement and uses it for the others. Outside of a scope, such as in a Durable Object, each
 * batch has one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Client, type QueryArrayResult } from "pg";
import { withNul } from "./nul.ts";

/** The connections that can be used now. */
export interface ConnectionScope {
  readonly idle: Client[];
}

const scopes = new AsyncLocalStorage<ConnectionScope>();

/** Statements of `run` share connections. */
export function withConnections<Value>(run: () => Value): Value {
  return scopes.run({ idle: [] }, run);
}

/** Milliseconds until a server that does not answer counts as unreachable. */
const CONNECT_TIMEOUT = 10_000;

export interface ConnectionOptions {
  /** With the password: never logged. */
  readonly connectionString: () => string;
  /** Instead of the scope of a request, for programs in Node. */
  readonly scope?: ConnectionScope;
}

/** Runs `work` with a connection of its own; `keeps` decides after an error whether the connection can be used again. */
export async function useConnection<Value>(
  { connectionString, scope = scopes.getStore() }: ConnectionOptions,
  work: (client: Client) => Promise<Value>,
  keeps: (error: unknown) => boolean,
): Promise<Value> {
  const client = scope?.idle.pop() ?? (await connect(connectionString(), scope));
  let usable = false;
  try {
    const value = await work(client);
    usable = true;
    return value;
  } catch (error) {
    usable = keeps(error);
    throw error;
  } finally {
    if (usable && scope !== undefined) scope.idle.push(client);
    else void client.end().catch(() => undefined);
  }
}

async function connect(connectionString: string, scope: ConnectionScope | undefined): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: "twinedge",
    pipeline: true,
    types: { getTypeParser: parserOf },
  } as ConstructorParameters<typeof Client>[0]);
  // The statement that runs, if there is one, fails with the error too.
  client.on("error", () => undefined);
  client.once("end", () => {
    const at = scope?.idle.indexOf(client) ?? -1;
    if (at >= 0) scope?.idle.splice(at, 1);
  });
  await client.connect();
  return client;
}

/** Numbers for integers and decimals, as D1 gives them; 0 and 1 for booleans; text for everything else, JSON included. */
function parserOf(type: number): (text: string) => unknown {
  if (NUMBERS.has(type)) return Number;
  return type === BOOLEAN ? (text) => (text === "t" ? 1 : 0) : withNul;
}

const BOOLEAN = 16;
/** int8, int2, int4, float4, float8, numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);

export type Rows = QueryArrayResult<unknown[]>;
