/**
 * The registry on PostgreSQL with many domains compared with one with few: two databases of one server, each with its own workerd. The
 * cost of a request must not grow with the tables.
 */
import { FEW_DOMAINS_POSTGRES } from "../arguments.ts";
import { filledPostgres } from "../filled-postgres.ts";
import { startPostgresServer } from "../postgres-server.ts";
import type { Row } from "../rows.ts";
import type { Measure } from "./measure.ts";
import { compared, type Kind } from "./registry-growth.ts";

/** At most 1.3 times the time. */
const AIM = { ratio: 1 / 1.3 };

const kinds: readonly { readonly kind: Kind; readonly what: string }[] = [
  { kind: "get", what: "get by id" },
  { kind: "list", what: "list of 20, two filters" },
  { kind: "word", what: "q, a word of every eighth" },
  { kind: "words", what: "q, a word and a beginning" },
  { kind: "rare", what: "q, a word of one" },
  { kind: "graphql", what: "GraphQL, one entity, no key" },
];

export const registryGrowthPostgres: Measure = {
  name: "registry-growth-postgres",
  about: `the registry on PostgreSQL with many domains (--domains), beside one with ${FEW_DOMAINS_POSTGRES}`,
  async take(bench) {
    const { bundles, options, makeFolder, say } = bench;
    const server = await startPostgresServer();
    try {
      const place = { server, bundles, makeFolder, say };
      const few = await filledPostgres(place, FEW_DOMAINS_POSTGRES);
      try {
        const many = await filledPostgres(place, options.domains);
        try {
          const beside = `${FEW_DOMAINS_POSTGRES} domains`;
          const rows: Row[] = [];
          for (const { kind, what } of kinds) {
            rows.push(...(await compared(options, { what, kind, beside, aim: AIM }, { many, few })));
          }
          return rows;
        } finally {
          await many.runtime.kill();
        }
      } finally {
        await few.runtime.kill();
      }
    } finally {
      await server.stop();
    }
  },
};
