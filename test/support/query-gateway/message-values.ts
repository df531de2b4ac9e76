/**
 * Random messages of any type of a registry, for properties of codecs. Values are limited to those that protobuf's own JSON format
 * can represent, so that it can serve as a reference.
 */
import { create, ScalarType, toBinary, type DescField, type DescMessage, type Registry } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";

/** Below this depth, messages stay unset and lists empty: types may be recursive. */
const DEPTH_MAX = 3;
const NANOS_MAX = 999_999_999;

type Initialiser = Record<string, unknown>;

/** A message as an initialiser for `create`, so that a oneof has one case and a message may be absent. */
export function messageValues(
  type: DescMessage,
  registry: Registry,
  inAny: readonly DescMessage[],
): fc.Arbitrary<Initialiser> {
  return initialisers(type, { registry, inAny }, 0);
}

interface Surroundings {
  readonly registry: Registry;
  readonly inAny: readonly DescMessage[];
}

function initialisers(type: DescMessage, surroundings: Surroundings, depth: number): fc.Arbitrary<Initialiser> {
  const special = wellKnownValues(type, surroundings, depth);
  if (special !== undefined) return special;
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const member of type.members) {
    members[member.localName] =
      member.kind === "oneof"
        ? fc.oneof(
            fc.constant({ case: undefined }),
            ...member.fields.map((field) =>
              itemValues(field, surroundings, depth).map((value) => ({ case: field.localName, value })),
            ),
          )
        : fieldValues(member, surroundings, depth);
  }
  return fc.record(members);
}

function fieldValues(field: DescField, surroundings: Surroundings, depth: number): fc.Arbitrary<unknown> {
  const isDeep = depth >= DEPTH_MAX && field.message !== undefined;
  const maxLength = isDeep ? 0 : 3;
  if (field.fieldKind === "list") return fc.array(itemValues(field, surroundings, depth), { maxLength });
  if (field.fieldKind === "map")
    return fc.dictionary(keyValues(field.mapKey), itemValues(field, surroundings, depth), {
      maxKeys: maxLength,
      noNullPrototype: true,
    });
  if (isDeep) return fc.constant(undefined);
  const values = itemValues(field, surroundings, depth);
  return field.message === undefined ? values : fc.option(values, { nil: undefined });
}

function keyValues(type: ScalarType): fc.Arbitrary<string> {
  if (type === ScalarType.STRING) return fc.string({ unit: "binary" }).filter((key) => key !== "__proto__");
  return type === ScalarType.BOOL ? fc.constantFrom("true", "false") : scalarValues(type).map(String);
}

function itemValues(field: DescField, surroundings: Surroundings, depth: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined)
    return fc.oneof(fc.constantFrom(...field.enum.values.map(({ number }) => number)), fc.constant(99));
  if (field.message === undefined) return scalarValues(field.scalar);
  const [wrapped] = field.message.fields;
  if (field.fieldKind === "message" && !field.oneof && isWrapperDesc(field.message) && wrapped?.fieldKind === "scalar")
    return scalarValues(wrapped.scalar);
  if (field.message.typeName === "google.protobuf.Struct") return fc.constantFrom({}, { b: [1, "<x>", null], a: true });
  return depth >= DEPTH_MAX ? fc.constant({}) : initialisers(field.message, surroundings, depth + 1);
}

function wellKnownValues(
  type: DescMessage,
  { registry, inAny }: Surroundings,
  depth: number,
): fc.Arbitrary<Initialiser> | undefined {
  const nanos = fc.oneof(fc.constantFrom(0, 1000, 500_000_000), fc.nat(NANOS_MAX));
  switch (type.typeName) {
    case "google.protobuf.Timestamp":
      return fc.record({ seconds: fc.bigInt(-62_135_596_800n, 253_402_300_799n), nanos });
    case "google.protobuf.Duration":
      return fc
        .record({ seconds: fc.bigInt(0n, 315_576_000_000n), nanos, isNegative: fc.boolean() })
        .map(({ seconds, nanos, isNegative }) =>
          isNegative ? { seconds: -seconds, nanos: -nanos } : { seconds, nanos },
        );
    case "google.protobuf.FieldMask":
      return fc.constantFrom({ paths: [] }, { paths: ["a_b.c", "d"] });
    case "google.protobuf.Value":
      return fc.constantFrom(
        { kind: { case: "numberValue", value: 1.5 } },
        { kind: { case: "stringValue", value: "&" } },
      );
    case "google.protobuf.Any":
      return fc.oneof(
        ...inAny.map((inner) =>
          initialisers(inner, { registry, inAny: [] }, depth + 1).map((value) => ({
            typeUrl: `/${inner.typeName}`,
            value: toBinary(inner, create(inner, value)),
          })),
        ),
        fc.constant({}),
      );
    default:
      return undefined;
  }
}

function scalarValues(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "<a>&b", "\b\f\n\\b\u2028", "-12345"));
    case ScalarType.BYTES:
      return fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.constant(new TextEncoder().encode('{"a" : "<", "b":[1.0 , 2]}')),
      );
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
      return fc.double();
    case ScalarType.FLOAT:
      return fc.float();
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt(0n, 2n ** 64n - 1n);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat(2 ** 32 - 1);
    default:
      return fc.integer();
  }
}
