/**
 * Records the registry's database queries for one request, and replays them with no other work. The request runs once through the
 * registry's own app with a recording database, so both sides always send equal queries.
 */
import { createDispatcher } from "../../workers/dispatch.ts";
import { createRegistryApp } from "../../workers/registry/app.ts";

/** A request to the registry, as the generator sends it. */
export interface Recording {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** One trip to the database: a statement, or a batch of them. */
type Trip = Statement | readonly Statement[];

const recorded = new Map<string, readonly Trip[]>();

/**
 * Keeps the trips of the second of two similar requests, since an isolate caches values that it reads every few seconds. `again` is
 * the second. Resolves to its body.
 */
export async function record(env: object, database: D1Database, first: Recording, again: Recording): Promise<string> {
  const trips: Trip[] = [];
  const body = await answered({ ...env, DATABASE: noting(database, trips) }, [first, again], () => (trips.length = 0));
  recorded.set(again.name, [...trips]);
  return body;
}

/** The body of the last response of the registry's own app. `before` runs before each request. */
export async function answered(env: object, requests: readonly Recording[], before: () => unknown): Promise<string> {
  const registry = createRegistryApp();
  const dispatch = createDispatcher({
    apps: { registry },
    hosts: () => ({ ok: true, value: { SURFACE_HOSTS: null } }),
  });
  const later: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => void later.push(work) } as unknown as ExecutionContext;
  let body = "";
  for (const { path, ...init } of requests) {
    before();
    const answer = await dispatch(new Request(`http://recorded${path}`, init), env as Env, context);
    body = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${body}`);
    await Promise.all(later);
  }
  return body;
}

/** Replays the trips in order; resolves to the last result. */
export async function replay(database: D1Database, name: string, query: URLSearchParams): Promise<unknown> {
  const trips = recorded.get(name);
  if (trips === undefined) throw new Error(`nothing is recorded as ${name}`);
  const replaced = replacing(query);
  const prepared = ({ sql, values }: Statement) => database.prepare(sql).bind(...values.map(replaced));
  let found: unknown;
  for (const trip of trips) {
    if ("sql" in trip) found = (await prepared(trip).all()).results;
    else found = (await database.batch(trip.map(prepared))).map(({ results }) => results);
  }
  return found;
}

/** Replaces every `mark` of the query in a value by the `text` at its place. */
export function replacing(query: URLSearchParams): (value: unknown) => unknown {
  const [marks, texts] = [query.getAll("mark"), query.getAll("text")];
  return (value) =>
    typeof value === "string" ? marks.reduce((text, mark, at) => text.replaceAll(mark, texts[at] ?? ""), value) : value;
}

function noting(database: D1Database, trips: Trip[]): D1Database {
  const known = new WeakMap<object, { readonly inner: D1PreparedStatement; readonly statement: Statement }>();

  function noted(inner: D1PreparedStatement, statement: Statement): D1PreparedStatement {
    const asked = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      trips.push(statement);
      return ask();
    };
    const outer = {
      bind: (...values: readonly unknown[]) => noted(inner.bind(...values), { ...statement, values }),
      first: (column?: string) => asked(() => (column === undefined ? inner.first() : inner.first(column))),
      all: () => asked(() => inner.all()),
      run: () => asked(() => inner.run()),
    };
    known.set(outer, { inner, statement });
    return outer as unknown as D1PreparedStatement;
  }

  return {
    prepare: (sql: string) => noted(database.prepare(sql), { sql, values: [] }),
    batch: (statements: readonly D1PreparedStatement[]) => {
      const pairs = statements.flatMap((outer) => known.get(outer) ?? []);
      trips.push(pairs.map(({ statement }) => statement));
      return database.batch(pairs.map(({ inner }) => inner));
    },
  } as unknown as D1Database;
}
