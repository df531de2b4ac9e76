/** Responses are cached for a year under the writer's version, so any change of the output needs a new version. */
import { create, type MessageInitShape, type DescMessage, type Registry } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema } from "../descriptors/schema.ts";
import { createMessageWriter, WRITER_VERSION } from "./message-writer.ts";

/** The output for the messages below under each version. If this fails on purpose, raise the version and add a line. */
const printed: Readonly<Record<number, string>> = {
  2: "c0ee27c3a76d6731ea0d49197c56561ba8189362b0a219bddcdbb31b6dc9df47",
};

const json = (text: string) => new TextEncoder().encode(text);

test("the output belongs to its version", () => {
  const fixture = loadSchema(fixtureImage()).registry;
  const chain = loadSchema(ixoImage()).registry;
  const text = [
    print(fixture, "gwtest.v1.All", {}),
    print(fixture, "gwtest.v1.All", {
      id: "<a>&\u2028\b",
      i64: -1n,
      u64: 18446744073709551615n,
      f: 447896.125,
      d: 1e21,
      b: true,
      by: Uint8Array.of(1, 2, 255),
      e: 9,
      rs: ["a", ""],
      sub: { a: "q", sub: {} },
      m: { b: "2", a: "1" },
      ts: { seconds: 1n, nanos: 500_000_000 },
      du: { seconds: -1n, nanos: -1 },
      any: { typeUrl: "/gwtest.v1.Sub", value: Uint8Array.of(0x0a, 1, 0x61) },
      subs: [{}],
    }),
    // Values whose Go type prints itself: decimals, integers, hex and JSON.
    print(chain, "cosmos.mint.v1beta1.Params", { inflationMax: "130000000000000000" }),
    print(chain, "cosmos.base.v1beta1.Coin", { denom: "uixo" }),
    print(chain, "ibc.lightclients.tendermint.v1.ConsensusState", { nextValidatorsHash: Uint8Array.of(10, 255) }),
    print(chain, "cosmwasm.wasm.v1.MsgExecuteContract", { msg: json('{ "a": 1.0, "b": "<" }') }),
  ];
  const digest = createHash("sha256").update(text.join("\n")).digest("hex");
  expect({ [WRITER_VERSION]: digest }).toEqual({ [WRITER_VERSION]: printed[WRITER_VERSION] });
});

function print(registry: Registry, typeName: string, fields: MessageInitShape<DescMessage>): string {
  const type = registry.getMessage(typeName);
  if (type === undefined) throw new Error(`there is no ${typeName}`);
  const document = createMessageWriter({ registry }).write(type, create(type, fields));
  return document.ok ? document.value.text : document.error.message;
}
