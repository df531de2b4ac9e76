/** The query gateway's route table in Node, where time passes while code runs: how long it takes to find a route. */
import { readFileSync } from "node:fs";
import { loadSchema } from "../../workers/query-gateway/descriptors/schema.ts";
import { defaultLimits } from "../../workers/query-gateway/transcoding/limits.ts";
import { planRoutes } from "../../workers/query-gateway/transcoding/routes.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import type { Measure } from "./measure.ts";

const image = new URL("../../proto/descriptors/ixo.binpb", import.meta.url);
/** A second prefix makes 260 routes and more of the built-in image. */
const options = { protocolPrefix: "ixo", legacyPrefixes: ["rest/ixo"], legacyIxo: true, aliases: [] };

const paths = {
  "a literal path": "/ixo/token/params",
  "an entity": "/ixo/entity/did:ixo:entity:0123456789abcdef0123456789abcdef",
  "a path that needs to go back": "/ixo/entity/params/metadata",
  "a path of no route": "/ixo/entity/x/nope",
  "3,000 segments": `/${"a/".repeat(3000)}`,
} as const;
type What = keyof typeof paths;
const names = Object.keys(paths) as What[];

/** Between two looks at the clock. */
const BATCH = 1000;

export const routeMatch: Measure = {
  name: "route-match",
  about: "finding a route among 260 and more, in Node",
  async take({ options: { rounds, seconds } }) {
    const { methods } = loadSchema(readFileSync(image));
    const { table, routes } = planRoutes(methods, options, defaultLimits);
    const sides = names.map((what) => {
      const match = (): Promise<number> =>
        Promise.resolve(microseconds(() => void table.match("GET", paths[what]), (seconds * 1000) / 4));
      return [what, match] as const;
    });
    const samples = await inTurns(rounds, Object.fromEntries(sides) as Record<What, () => Promise<number>>);
    return names.map((what) =>
      rowOf({
        what: `${what}, of ${routes.length} routes`,
        unit: "µs",
        scale: "time",
        samples: samples[what],
        aim: { below: 5 },
      }),
    );
  },
};

/** Of one call, over at least `least` milliseconds of them. */
function microseconds(call: () => void, least: number): number {
  const start = performance.now();
  let calls = 0;
  for (let now = start; now - start < least; now = performance.now(), calls += BATCH)
    for (let index = 0; index < BATCH; index += 1) call();
  return ((performance.now() - start) / calls) * 1000;
}
