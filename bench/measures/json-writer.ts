/**
 * The query gateway's JSON writer beside protobuf-es, in Node: inside workerd no time passes while a Worker computes. The
 * same page of entities is printed by both; `toJson` stops short of the text and of what a node prints otherwise.
 */
import { create, fromBinary, toBinary, toJson, toJsonString, type DescMessage, type Message } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { loadSchema, type Schema } from "../../workers/query-gateway/descriptors/load.ts";
import { createMessageWriter } from "../../workers/query-gateway/json/message-writer.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Row } from "../rows.ts";
import type { Measure } from "./measure.ts";

const PAGES = [100, 1000];
/** Between two looks at the clock. */
const BATCH = 10;
const TYPE = "ixo.entity.v1beta1.QueryEntityListResponse";
const image = new URL("../../proto/descriptors/ixo.binpb", import.meta.url);

export const jsonWriter: Measure = {
  name: "json-writer",
  about: "the gateway's JSON writer on a page of entities, beside toJson of protobuf-es",
  async take({ options }) {
    const bytes = readFileSync(image);
    const { load } = await inTurns(options.rounds, {
      load: () => Promise.resolve(milliseconds(() => loadSchema(bytes), 1)),
    });
    const rows: Row[] = [rowOf({ what: "reading the descriptor image", unit: "ms", scale: "time", samples: load })];
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
  const page = pageOf(type, size);
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

/** Of one call, over at least `least` milliseconds of them. */
function milliseconds(call: () => unknown, least: number): number {
  const start = performance.now();
  let calls = 0;
  for (let now = start; now - start < least; now = performance.now(), calls += BATCH)
    for (let index = 0; index < BATCH; index += 1) call();
  return (performance.now() - start) / calls;
}

/** As it comes from a node: through bytes. */
function pageOf(type: DescMessage, size: number): Message {
  const time = { seconds: 1_767_323_045n, nanos: 500_000_000 };
  const entity = (index: number): object => ({
    id: `did:ixo:entity:${index.toString(16).padStart(32, "0")}`,
    type: "asset/device",
    startDate: time,
    endDate: time,
    relayerNode: "did:ixo:entity:00000000000000000000000000000001",
    credentials: [`bafkreib${index}`],
    entityVerified: index % 2 === 0,
    metadata: { versionId: `version-${index}`, created: time, updated: time },
    accounts: [{ name: "admin", address: "ixo1qyqszqgpqyqszqgpqyqszqgpqyqszqgp5x4a2k" }],
  });
  const page = create(type, { entities: Array.from({ length: size }, (_, index) => entity(index)), pagination: {} });
  return fromBinary(type, toBinary(type, page));
}
