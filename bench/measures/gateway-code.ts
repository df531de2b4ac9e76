/**
 * Pure code of the query gateway in Node, since no time passes inside workerd while a Worker computes: its JSON writer compared
 * with protobuf-es on a page of entities (`toJson` produces no text and ignores nodes' deviations), and its route table.
 */
import { toJson, toJsonString } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { openSchema } from "../../workers/query-gateway/descriptors/lazy-schema.ts";
import { loadSchema, type Schema } from "../../workers/query-gateway/descriptors/schema.ts";
import { createMessageWriter } from "../../workers/query-gateway/json/message-writer.ts";
import { defaultLimits } from "../../workers/query-gateway/transcoding/limits.ts";
import { planRoutes } from "../../workers/query-gateway/transcoding/routes.ts";
import { entityPage } from "../entity-page.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Row } from "../rows.ts";
import type { Measure } from "./measure.ts";

const PAGES = [100, 1000];
const TYPE = "ixo.entity.v1beta1.QueryEntityListResponse";
const image = new URL("../../proto/descriptors/ixo.binpb", import.meta.url);

export const jsonWriter: Measure = {
  name: "json-writer",
  about: "the gateway's JSON writer on a page of entities, beside toJson of protobuf-es",
  async take({ options }) {
    const bytes = readFileSync(image);
    const { whole, parts } = await inTurns(options.rounds, {
      whole: () => Promise.resolve(milliseconds(() => loadSchema(bytes), 1)),
      parts: () => Promise.resolve(milliseconds(() => openSchema(bytes), 1)),
    });
    const reading = { unit: "ms", scale: "time" } as const;
    const rows: Row[] = [
      rowOf({
        ...reading,
        what: "opening the descriptor image",
        samples: parts,
        baseline: { name: "reading all of it", samples: whole },
      }),
    ];
    const schema = loadSchema(bytes);
    for (const size of PAGES) rows.push(...(await pageRows(schema, size, options)));
    return rows;
  },
};

async function pageRows(
  { registry }: Schema,
  size: number,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Row[]> {
  const type = registry.getMessage(TYPE);
  if (type === undefined) throw new Error(`the image has no ${TYPE}`);
  const page = entityPage(type, size);
  const writer = createMessageWriter({ registry });
  const json = { alwaysEmitImplicit: true, useProtoFieldName: true, registry };
  const during = (print: () => unknown) => (): Promise<number> => Promise.resolve(milliseconds(print, seconds * 1000));
  const { ours, value, text } = await inTurns(rounds, {
    ours: during(() => writer.write(type, page)),
    value: during(() => toJson(type, page, json)),
    text: during(() => toJsonString(type, page, json)),
  });
  const finding = { unit: "ms", scale: "time", samples: ours } as const;
  return [
    rowOf({ ...finding, what: `${size} entities`, baseline: { name: "toJson", samples: value }, aim: { ratio: 1 } }),
    rowOf({
      ...finding,
      what: `${size} entities`,
      baseline: { name: "toJsonString", samples: text },
      aim: { ratio: 1 },
    }),
  ];
}

/** With a second prefix, the built-in descriptor set has more than 260 routes. */
const routeOptions = { protocolPrefix: "ixo", legacyPrefixes: ["rest/ixo"], legacyIxo: true, aliases: [] };

const paths = {
  "a literal path": "/ixo/token/params",
  "an entity": "/ixo/entity/did:ixo:entity:0123456789abcdef0123456789abcdef",
  "a path that needs to go back": "/ixo/entity/params/metadata",
  "a path of no route": "/ixo/entity/x/nope",
  "3,000 segments": `/${"a/".repeat(3000)}`,
} as const;
type What = keyof typeof paths;
const names = Object.keys(paths) as What[];

export const routeMatch: Measure = {
  name: "route-match",
  about: "finding a route among 260 and more, in Node",
  async take({ options: { rounds, seconds } }) {
    const { methods } = loadSchema(readFileSync(image));
    const { table, routes } = planRoutes(methods, routeOptions, defaultLimits);
    const sides = names.map((what) => {
      const match = (): Promise<number> =>
        Promise.resolve(1000 * milliseconds(() => void table.match("GET", paths[what]), (seconds * 1000) / 4, 1000));
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

/** Per call, over at least `least` milliseconds; the clock is read after each `batch`. */
function milliseconds(call: () => unknown, least: number, batch = 10): number {
  const start = performance.now();
  let calls = 0;
  for (let now = start; now - start < least; now = performance.now(), calls += batch)
    for (let index = 0; index < batch; index += 1) call();
  return (performance.now() - start) / calls;
}
