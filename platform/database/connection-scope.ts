/**
 * The connections that the statements of one request, scheduled run or call of an object share. A socket of a Worker belongs to the
 * request that opened it, and Hyperdrive has the pool; so a request opens its own connection at its first statement, and uses it
 * for its other batches, one after another. A deployment on D1 has no scopes.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Client } from "pg";
import type { DatabaseBindings } from "./database-of.ts";

/** Milliseconds until a free connection is closed after its request has ended, such as between two parts of a streamed response. */
const STAY_OPEN = 1_000;

export interface ConnectionScope {
  /** Resolves with a free connection; with undefined if the caller has to open one. Waits for its turn. */
  take(): Promise<Client | undefined>;
  /** Ends a turn. `client` is the connection if it can be used again. */
  give(client: Client | undefined): void;
  /** The server or the network ended the connection. */
  forget(client: Client): void;
  /** Closes the connections that nothing uses now. */
  closeFree(): Promise<void>;
  /** Closes the free connections. The scope can still be used; its connections are then closed soon after each use. */
  close(): Promise<void>;
}

/** At most `most` connections at a time; others wait. */
export function createConnectionScope(most = Infinity): ConnectionScope {
  const free: { readonly client: Client; readonly timer: ReturnType<typeof setTimeout> | undefined }[] = [];
  const waiting: (() => void)[] = [];
  let [taken, hasEnded] = [0, false];

  function forget(client: Client): void {
    const at = free.findIndex((each) => each.client === client);
    if (at >= 0) free.splice(at, 1);
  }

  function drop(client: Client): void {
    forget(client);
    void ended(client);
  }

  async function closeFree(): Promise<void> {
    await Promise.all(
      free.splice(0).map(({ client, timer }) => {
        clearTimeout(timer);
        return ended(client);
      }),
    );
  }

  return {
    async take() {
      if (taken < most) taken += 1;
      // `give` hands its turn to the next in line.
      else await new Promise<void>((resume) => waiting.push(resume));
      const last = free.pop();
      clearTimeout(last?.timer);
      return last?.client;
    },
    give(client) {
      if (client !== undefined) {
        free.push({ client, timer: hasEnded ? setTimeout(() => drop(client), STAY_OPEN) : undefined });
      }
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    },
    forget,
    closeFree,
    async close() {
      hasEnded = true;
      await closeFree();
    },
  };
}

/** Closes the connection; an error is ignored, because the connection is then lost already. */
export function ended(client: Client): Promise<void> {
  return client.end().catch(() => undefined);
}

const scopes = new AsyncLocalStorage<ConnectionScope>();

/** The scope of the request that runs now. */
export function currentScope(): ConnectionScope | undefined {
  return scopes.getStore();
}

/** Hyperdrive and the platform count connections, so a request has one. */
const CONNECTIONS_OF_REQUEST = 1;

/** Statements of `run` share a connection. `background` receives the work of closing it. */
export async function withConnections<Value>(
  env: Pick<DatabaseBindings, "HYPERDRIVE">,
  run: () => Promise<Value>,
  background: (work: Promise<void>) => void,
): Promise<Value> {
  if (env.HYPERDRIVE === undefined) return run();
  const scope = createConnectionScope(CONNECTIONS_OF_REQUEST);
  try {
    return await scopes.run(scope, run);
  } finally {
    background(scope.close());
  }
}
