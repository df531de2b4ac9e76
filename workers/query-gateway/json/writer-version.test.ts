/** Answers are kept for a year under the writer's version: what prints differently needs another one. */
import { create } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/gateway-fixture.ts";
import { loadSchema } from "../descriptors/load.ts";
import { createMessageWriter } from "./message-writer.ts";
import { WRITER_VERSION } from "./writer-version.ts";

/** What the messages below print as under each version. When this fails on purpose, raise the version and write a line. */
const printed: Readonly<Record<number, string>> = {
  2: "deb9fb868331131c9dbd23804c058357e49d11265fe8a8902bfb0c1b0e37aabd",
};

test("what is printed belongs to its version", () => {
  const fixture = loadSchema(fixtureImage()).registry;
  const messages: Record<string, unknown>[] = [
    {},
    {
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
    },
  ];
  const type = fixture.getMessage("gwtest.v1.All");
  if (type === undefined) throw new Error("the fixture has no All");
  const text = messages.map((fields) => {
    const document = createMessageWriter({ registry: fixture }).write(type, create(type, fields));
    return document.ok ? document.value.text : document.error.message;
  });
  const digest = createHash("sha256").update(text.join("\n")).digest("hex");
  expect({ [WRITER_VERSION]: digest }).toEqual({ [WRITER_VERSION]: printed[WRITER_VERSION] });
});
