/**
 * The registry on PostgreSQL compared with a bare Worker that sends the same queries in the same trips to the same server
 * (bench/bare/recorded-queries.ts). Without Hyperdrive's pool, each request opens a connection on both sides; its cost is a separate row.
 */
import { FEW_DOMAINS_POSTGRES } from "../arguments.ts";
import { effortOf, effortRows, type Effort } from "../effort.ts";
import { requestKinds } from "../filled-registry.ts";
import { filledPostgres } from "../filled-postgres.ts";
import { startPostgresServer } from "../postgres-server.ts";
import { inTurns } from "../rounds.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";
import { beside, ours } from "./registry.ts";

const AIM = { ratio: 0.6 };

export const registryPostgres: Measure = {
  name: "registry-postgres",
  about: "the registry on PostgreSQL, beside the same trips to the server with nothing around",
  async take({ bundles, options, makeFolder, say }) {
    const server = await startPostgresServer();
    try {
      const registry = await filledPostgres({ server, bundles, makeFolder, say }, FEW_DOMAINS_POSTGRES);
      const { runtime } = registry;
      try {
        const { get, list, rare, graphql, create } = requestKinds(registry);
        const [our, bare] = [ours({ runtime, options }), beside({ runtime, options })];
        const connection = { base: runtime.bare, connections: CONNECTIONS, seconds: options.seconds };
        const samples = await inTurns(options.rounds, {
          connection: () => effortOf(runtime, { ...connection, next: () => ({ path: "/connection" }) }),
          get: our(get),
          bareGet: await bare("get", get),
          list: our(list),
          bareList: await bare("list", list),
          rare: our(rare),
          bareRare: await bare("rare", rare),
          graphql: our(graphql),
          bareGraphql: await bare("graphql", graphql),
          create: our(create),
          bareCreate: await bare("create", create),
        });
        const compared = (what: string, [ours, beside]: readonly [readonly Effort[], readonly Effort[]]) =>
          effortRows({ what, samples: ours, beside: { name: "same trips, bare", samples: beside }, aim: AIM });
        return [
          ...compared("get by id", [samples.get, samples.bareGet]),
          ...compared("list of 20, two filters", [samples.list, samples.bareList]),
          ...compared("q, a word of one", [samples.rare, samples.bareRare]),
          ...compared("GraphQL, one entity, no key", [samples.graphql, samples.bareGraphql]),
          ...compared("create", [samples.create, samples.bareCreate]),
          ...effortRows({ what: "bare: a connection and SELECT 1", samples: samples.connection }),
        ];
      } finally {
        await runtime.kill();
      }
    } finally {
      await server.stop();
    }
  },
};
