/** Over every message type in responses: the writer equals `toJson`, except where a node differs. */
import { create, fromBinary, toBinary, type DescMessage } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { messageValues } from "../../../test/support/query-gateway/message-values.ts";
import { referenceJson } from "../../../test/support/query-gateway/reference-json.ts";
import { loadSchema } from "../descriptors/schema.ts";
import { createMessageWriter } from "./message-writer.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
/** Milliseconds: CI requests many runs, and each makes a page of random messages. */
const TIMEOUT = 120_000;

test.each([
  ["ixo", ixoImage(), ["cosmos.auth.v1beta1.BaseAccount", "google.protobuf.Duration", "google.protobuf.Any"]],
  ["fixture", fixtureImage(), ["gwtest.v1.Sub", "google.protobuf.BoolValue", "google.protobuf.Struct"]],
] as const)(
  "%s: parsed output equals the reference, for every answer [QG-56]",
  { timeout: TIMEOUT },
  (_, image, anyNames) => {
    const { registry, methods } = loadSchema(image);
    const writer = createMessageWriter({ registry });
    const answers = [...new Set(methods.map(({ method }) => method.output))];
    const inAny = anyNames.flatMap((name) => registry.getMessage(name) ?? []);
    const cases = fc
      .constantFrom(...answers)
      .chain((type) => messageValues(type, registry, inAny).map((value) => ({ type, value })));
    fc.assert(
      fc.property(cases, ({ type, value }) => {
        const message = overTheWire(type, value);
        const written = writer.write(type, message);
        if (!written.ok) throw new Error(written.error.message);
        expect(JSON.parse(written.value.text)).toEqual(referenceJson(type, message, registry));
      }),
      { numRuns: numRuns * 2 },
    );
  },
);

/** As after the wire: a member that was set to its zero arrives unset. */
function overTheWire(type: DescMessage, value: Record<string, unknown>): ReturnType<typeof create> {
  return fromBinary(type, toBinary(type, create(type, value)));
}
