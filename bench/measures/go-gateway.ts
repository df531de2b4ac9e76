/**
 * The query gateway before a gRPC-web node, beside Go's grpc-gateway before a gRPC node: the same path, the same answer. Other
 * software in another language and without a sandbox: both are told, neither is an aim.
 */
import { startGoGateway } from "../go-gateway.ts";
import { fetchText, medianLatency, requestRate } from "../load.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { startUpstreamNode } from "../upstream-node.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

const PATH = "/ixo/token/params";

export const goGateway: Measure = {
  name: "go-gateway",
  about: "the query gateway beside Go's grpc-gateway, where Debian's packages of it are installed",
  async take({ bundles, makeFolder, options: { rounds, seconds }, say }) {
    const reference = await startGoGateway(makeFolder());
    if (typeof reference === "string") {
      say(reference);
      return [];
    }
    const node = await startUpstreamNode();
    const config = { deployments: [{ name: "bench", nodes: [{ kind: "grpc-web", url: node.url }] }] };
    const runtime = await startRuntime(bundles, makeFolder(), { GATEWAY_CONFIG: JSON.stringify(config) });
    try {
      const answers = await Promise.all([runtime.oracle, reference.url].map((base) => fetchText(base, { path: PATH })));
      if (answers[0] !== answers[1]) throw new Error(`the two answer differently: ${answers.join(" and ")}`);
      const load = (base: string) => ({ base, seconds, next: () => ({ path: PATH }) });
      const rate = (base: string) => () => requestRate({ ...load(base), connections: CONNECTIONS });
      const time = (base: string) => () => medianLatency(load(base));
      const samples = await inTurns(rounds, {
        rate: rate(runtime.oracle),
        goRate: rate(reference.url),
        time: time(runtime.oracle),
        goTime: time(reference.url),
      });
      const beside = "Go's grpc-gateway";
      return [
        rowOf({
          what: "token parameters",
          unit: "requests/s",
          scale: "rate",
          samples: samples.rate,
          baseline: { name: beside, samples: samples.goRate },
        }),
        rowOf({
          what: "token parameters, one at a time",
          unit: "ms",
          scale: "time",
          samples: samples.time,
          baseline: { name: beside, samples: samples.goTime },
        }),
      ];
    } finally {
      await runtime.kill();
      node.kill();
      reference.kill();
    }
  },
};
