/**
 * The query gateway with its own node, which answers from the registry, and from its cache: compared with a bare Worker that reads
 * equal bytes from D1 as one text, and one that has them in memory.
 */
import { FEW_DOMAINS } from "../arguments.ts";
import { effortOf, effortRows } from "../effort.ts";
import { filledRegistry } from "../filled-registry.ts";
import { fetchText } from "../load.ts";
import { inTurns } from "../rounds.ts";
import type { Row } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

/** A chain profile with a mount, whose answers are cached for longer than the bench runs. */
const CACHED = "/cached";
const config = JSON.stringify({
  deployments: [{ name: "cached", match: { mount: CACHED }, cache: { latestSeconds: 3600 } }, { name: "main" }],
});

export const queryGateway: Measure = {
  name: "query-gateway",
  about: "the query gateway's own node and its cache, beside a bare Worker with the same bytes in D1 or in memory",
  async take({ bundles, makeFolder, options: { rounds, seconds }, say }) {
    const runtime = await startRuntime(bundles, makeFolder(), { variables: { GATEWAY_CONFIG: config } });
    try {
      const [id = ""] = (await filledRegistry(runtime, FEW_DOMAINS, say)).ids;
      const effort = (base: string, path: string) => () =>
        effortOf(runtime, { base, connections: CONNECTIONS, seconds, next: () => ({ path }) });
      const compared = async (what: string, path: string): Promise<readonly Row[]> => {
        const answer = await fetchText(runtime.oracle, { path });
        await fetchText(runtime.bare, { path: "/keep-text", method: "POST", body: answer });
        const { ours, stored, cached, held } = await inTurns(rounds, {
          ours: effort(runtime.oracle, path),
          stored: effort(runtime.bare, "/stored-text"),
          cached: effort(runtime.oracle, CACHED + path),
          held: effort(runtime.bare, "/held-text"),
        });
        const size = `${answer.length} bytes`;
        return [
          ...effortRows({
            what: `${what}, ${size}`,
            samples: ours,
            beside: { name: "the same bytes from D1", samples: stored },
            aim: { ratio: 0.5 },
          }),
          ...effortRows({
            what: `${what}, cached`,
            samples: cached,
            beside: { name: "the same bytes from memory", samples: held },
            aim: { ratio: 0.8 },
          }),
        ];
      };
      return [
        ...(await compared("token parameters", "/ixo/token/params")),
        ...(await compared("an entity", `/ixo/entity/${id}`)),
        ...(await compared("a page of 100 entities", "/ixo/entity?pagination.limit=100")),
      ];
    } finally {
      await runtime.kill();
    }
  },
};
