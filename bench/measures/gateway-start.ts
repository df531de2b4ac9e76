/**
 * The cost of the query gateway's first request in a running isolate: configuration, descriptors, routes. Other surfaces and the
 * database have answered before; the duration of a second request is the comparison.
 */
import { Agent } from "node:http";
import { drain, open } from "../load.ts";
import { rowOf } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import type { Bench, Measure } from "./measure.ts";

/** Restarts are slow. */
const MAX_ROUNDS = 7;

export const gatewayStart: Measure = {
  name: "gateway-start",
  about: "the first request to the query gateway in an isolate, all descriptors on board, beside the next one",
  async take(bench) {
    const rounds: Times[] = [];
    for (let round = 0; round < Math.min(bench.options.rounds, MAX_ROUNDS); round += 1) rounds.push(await once(bench));
    const row = { unit: "ms", scale: "time" } as const;
    return [
      rowOf({ ...row, what: "first request: token parameters", samples: rounds.map(({ params }) => params), aim }),
      rowOf({ ...row, what: "the same again", samples: rounds.map(({ again }) => again) }),
      rowOf({ ...row, what: "then the first page of entities", samples: rounds.map(({ entities }) => entities) }),
      rowOf({ ...row, what: "before it: the first GET / of the isolate", samples: rounds.map(({ root }) => root) }),
    ];
  },
};

const aim = { below: 60 };

/** Milliseconds. */
interface Times {
  readonly root: number;
  readonly params: number;
  readonly again: number;
  readonly entities: number;
}

async function once({ bundles, makeFolder }: Bench): Promise<Times> {
  const runtime = await startRuntime(bundles, makeFolder());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const time = async (path: string): Promise<number> => {
    const begin = performance.now();
    await drain(await open(runtime.oracle, { path }, agent));
    return performance.now() - begin;
  };
  try {
    const root = await time("/");
    for (const path of ["/health", "/health", "/health"]) await time(path);
    return {
      root,
      params: await time("/ixo/token/params"),
      again: await time("/ixo/token/params"),
      entities: await time("/ixo/entity"),
    };
  } finally {
    agent.destroy();
    await runtime.kill();
  }
}
