/**
 * Records what the registry sends to PostgreSQL for one request, and sends it again with no other work: a connection for the request,
 * the same driver, and the same queries in the same trips.
 */
import { Client, type QueryConfig } from "pg";
import { answered, replacing, type Recording } from "./recorded-trips.ts";

/** Queries that are sent without waiting for results. */
type Trip = (string | QueryConfig)[];

interface Hyperdrive {
  readonly connectionString: string;
}

const recorded = new Map<string, readonly Trip[]>();

/** As `record` of recorded-trips.ts, for the driver's own queries. */
export async function recordQueries(env: object, first: Recording, again: Recording): Promise<string> {
  const trips: Trip[] = [];
  const restore = watchQueries(trips);
  try {
    const body = await answered(env, [first, again], () => (trips.length = 0));
    recorded.set(again.name, [...trips]);
    return body;
  } finally {
    restore();
  }
}

/** A query that is sent when all earlier ones have their results begins a trip. */
function watchQueries(trips: Trip[]): () => void {
  const { query } = Client.prototype;
  let unanswered = 0;
  function watched(this: Client, sent: string | QueryConfig): Promise<unknown> {
    if (unanswered === 0) trips.push([]);
    trips.at(-1)?.push(sent);
    unanswered += 1;
    const result = (query as (sent: string | QueryConfig) => Promise<unknown>).call(this, sent);
    const answer = (): void => void (unanswered -= 1);
    result.then(answer, answer);
    return result;
  }
  Object.assign(Client.prototype, { query: watched });
  return () => void Object.assign(Client.prototype, { query });
}

/** Resolves to the rows of the last trip. `later` receives the end of the connection. */
export async function replayQueries(
  hyperdrive: Hyperdrive,
  name: string,
  marks: URLSearchParams,
  later: (work: Promise<unknown>) => void,
): Promise<unknown> {
  const trips = recorded.get(name);
  if (trips === undefined) throw new Error(`nothing is recorded as ${name}`);
  const replaced = replacing(marks);
  const client = await connected(hyperdrive);
  let rows: unknown[] = [];
  for (const trip of trips) {
    const results = await Promise.all(
      trip.map((sent) =>
        client.query(typeof sent === "string" ? sent : { ...sent, values: (sent.values ?? []).map(replaced) }),
      ),
    );
    rows = results.flatMap((result) => result.rows as unknown[]);
  }
  later(client.end());
  return rows;
}

/** What a connection costs, which is part of each request on both sides. */
export async function connectOnly(
  hyperdrive: Hyperdrive | undefined,
  later: (work: Promise<unknown>) => void,
): Promise<unknown> {
  if (hyperdrive === undefined) throw new Error("this Worker has no PostgreSQL");
  const client = await connected(hyperdrive);
  const { rows } = await client.query("SELECT 1");
  later(client.end());
  return rows;
}

async function connected({ connectionString }: Hyperdrive): Promise<Client> {
  const client = new Client({ connectionString, pipeline: true });
  await client.connect();
  return client;
}
