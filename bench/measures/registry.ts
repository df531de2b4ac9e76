/**
 * The registry compared with a bare Worker that sends equal queries to the same database: the key lookup, the statements of the
 * route, and for the list the query that selects its index (bench/bare/recorded-trips.ts). The difference is our own code: routing,
 * checks, limits, hashes, rows and responses.
 */
import { effortOf, effortRows, type Effort } from "../effort.ts";
import { filledRegistry, requestKinds, type RequestKind } from "../filled-registry.ts";
import { fetchText, type RequestSpec } from "../load.ts";
import { inTurns } from "../rounds.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

export const registry: Measure = {
  name: "registry",
  about: "the registry's reads and creation, beside the same trips to the database with nothing around",
  async take(bench) {
    const { runtime, options, say } = bench;
    const registry = await filledRegistry(runtime, options.domains, say);
    const { get, list, graphql, create, createOnce } = requestKinds(registry);
    const [our, bare] = [ours(bench), beside(bench)];
    const samples = await inTurns(options.rounds, {
      get: our(get),
      bareGet: await bare("get", get),
      list: our(list),
      bareList: await bare("list", list),
      graphql: our(graphql),
      bareGraphql: await bare("graphql", graphql),
      create: our(create),
      bareCreate: await bare("create", create),
      createOnce: our(createOnce),
      bareCreateOnce: await bare("create-once", createOnce),
    });
    const compared = (what: string, [ours, beside]: readonly [readonly Effort[], readonly Effort[]], ratio: number) =>
      effortRows({ what, samples: ours, beside: { name: "same trips, bare", samples: beside }, aim: { ratio } });
    return [
      ...compared("get by id", [samples.get, samples.bareGet], 0.6),
      ...compared("list of 20, two filters", [samples.list, samples.bareList], 0.4),
      ...compared("GraphQL, one entity, no key", [samples.graphql, samples.bareGraphql], 0.3),
      ...compared("create", [samples.create, samples.bareCreate], 0.5),
      ...compared("create, Idempotency-Key", [samples.createOnce, samples.bareCreateOnce], 0.5),
    ];
  },
};

export function ours({ runtime, options: { seconds } }: Pick<Bench, "runtime" | "options">) {
  return (kind: RequestKind) => () =>
    effortOf(runtime, { base: runtime.oracle, connections: CONNECTIONS, seconds, next: kind.next });
}

/** Records the database queries of one request of this kind, and replays them. */
export function beside({ runtime, options: { seconds } }: Pick<Bench, "runtime" | "options">) {
  return async (name: string, kind: RequestKind) => {
    const last = kind.next();
    const pair = [kind.next(), last].map((spec) => ({ method: "GET", name, ...spec }));
    const answer = await fetchText(runtime.bare, { path: "/record", method: "POST", body: JSON.stringify(pair) });
    const marks = kind.marks(last, answer);
    const next = (): RequestSpec => {
      const query = new URLSearchParams({ name });
      for (const mark of marks) query.append("mark", mark);
      for (const text of kind.texts()) query.append("text", text);
      return { path: `/replay?${query.toString()}` };
    };
    return () => effortOf(runtime, { base: runtime.bare, connections: CONNECTIONS, seconds, next });
  };
}
