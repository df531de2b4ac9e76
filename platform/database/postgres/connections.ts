/**
 * Connections to PostgreSQL: the one of the current request's scope, or one for a single batch outside of a scope. An error of the
 * network counts as an unreachable database; any other error without a code of PostgreSQL is a bug, and stays as it is.
 */
import { Client, type QueryArrayResult } from "pg";
import { type ConnectionScope, currentScope, ended } from "../connection-scope.ts";
import { DatabaseUnreachable } from "../unreachable.ts";
import { codeOf, isProgrammingError, reasonOf } from "./errors.ts";
import { withNul } from "../../../shared/postgres-nul.ts";

/** Milliseconds until a server that does not answer counts as unreachable. */
const CONNECT_TIMEOUT = 10_000;

export interface ConnectionOptions {
  /** With the password: never logged. */
  readonly connectionString: () => string;
  /** Instead of the scope of a request, for programs in Node. */
  readonly scope?: ConnectionScope;
}

/** Runs `work` with an exclusive connection; `keeps` decides after an error whether the connection can be used again. */
export async function useConnection<Value>(
  { connectionString, scope = currentScope() }: ConnectionOptions,
  work: (client: Client) => Promise<Value>,
  keeps: (error: unknown) => boolean,
): Promise<Value> {
  const free = await scope?.take();
  let usable: Client | undefined;
  try {
    const client = free ?? (await connect(connectionString(), scope));
    let isUsable = false;
    try {
      const value = await work(client);
      isUsable = true;
      return value;
    } catch (error) {
      isUsable = keeps(error);
      throw codeOf(error) === undefined && lost.has(client) ? new DatabaseUnreachable(reasonOf(error)) : error;
    } finally {
      if (isUsable && scope !== undefined) usable = client;
      else void ended(client);
    }
  } finally {
    scope?.give(usable);
  }
}

/** Clients whose connection the server or the network ended. */
const lost = new WeakSet<Client>();

async function connect(connectionString: string, scope: ConnectionScope | undefined): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: "twinedge",
    pipeline: true,
    types: { getTypeParser: parserOf },
  });
  // The statement that runs, if there is one, fails with the error too.
  client.on("error", () => lost.add(client));
  client.once("end", () => scope?.forget(client));
  try {
    await client.connect();
  } catch (error) {
    void ended(client);
    throw codeOf(error) === undefined && !isProgrammingError(error) ? new DatabaseUnreachable(reasonOf(error)) : error;
  }
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
