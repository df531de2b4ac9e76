/**
 * Random request messages of any type, limited to those that another client of these rules can send: no maps, no lists of messages,
 * no JSON types, and path values that follow their template.
 */
import { create, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import * as fc from "fast-check";
import type { Route } from "../../../workers/query-gateway/transcoding/routes.ts";

type Value =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | Message
  | readonly (string | number | bigint | boolean | Uint8Array)[];

/** Clients encode character by character, so surrogates cannot be encoded. */
const character = fc.oneof(
  fc.constantFrom(..."aZ09 /%:+&=;?#,.~!'()*[]\u00e9\u20ac\u4e2d".split("")),
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
);
const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""));
const isWord = (each: string) => each !== "" && each !== "." && each !== "..";
/** A text that can be a path segment: every URL parser resolves dots. */
const word = text.filter(isWord);
/** A text that can be an item of a list in a path, or a part of a value with slashes. */
const plainWord = text.map((each) => each.replaceAll(/[/,]/g, "")).filter((each) => isWord(each) && each !== "tail");

/** A request of a route's method; the fields in its path are never empty. */
export function randomRequest({ method, variables, template }: Route): fc.Arbitrary<Message> {
  const inPath = variables.map((chain, index) => {
    const { start, end } = template.variables[index] ?? { start: 0, end: 0 };
    const pattern = template.segments.slice(start, end);
    const spread = fc.tuple(
      ...pattern.map((segment) => {
        if (segment.kind === "literal") return fc.constant(segment.value);
        if (segment.kind === "single") return plainWord;
        return fc.array(plainWord, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
      }),
    );
    const isLone = pattern.length === 1 && pattern[0]?.kind === "single";
    return {
      chain,
      value: valueInPath(chain.at(-1) ?? chain[0], isLone ? word : spread.map((parts) => parts.join("/"))),
    };
  });
  const rest = randomMessage(method.input, 1);
  return fc.tuple(rest, ...inPath.map(({ value }) => value)).map(([message, ...values]) => {
    for (const [index, { chain }] of inPath.entries()) {
      let holder = reflect(method.input, message);
      for (const field of chain.slice(0, -1)) {
        if (field.fieldKind !== "message") throw new Error("a path leads through messages");
        const child = reflect(field.message, holder.isSet(field) ? holder.get(field).message : create(field.message));
        holder.set(field, child);
        holder = child;
      }
      const last = chain.at(-1) ?? chain[0];
      const value = values[index] as Value;
      holder.clear(last);
      if (last.fieldKind === "list") for (const item of value as readonly string[]) holder.get(last).add(item);
      else holder.set(last, value);
    }
    return message;
  });
}

function valueInPath(field: DescField, string: fc.Arbitrary<string>): fc.Arbitrary<Value> {
  if (field.fieldKind === "list" && field.listKind === "scalar") {
    const item = field.scalar === ScalarType.STRING ? plainWord : randomScalar(field.scalar);
    return fc.array(item, { minLength: 1, maxLength: 3 });
  }
  if (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING) return string;
  if (field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES)
    return fc.uint8Array({ minLength: 1, maxLength: 9 });
  return randomValue(field, 0) ?? fc.constant("");
}

/** `depth` levels of messages below this one: clients lose the outer names of deeper ones. */
function randomMessage(type: DescMessage, depth: number): fc.Arbitrary<Message> {
  const fields = type.fields.flatMap((field) => {
    const value = randomValue(field, depth);
    return value === undefined ? [] : [{ field, value: fc.option(value, { nil: undefined }) }];
  });
  return fc.tuple(...fields.map(({ value }) => value)).map((values) => {
    const message = reflect(type);
    for (const [index, { field }] of fields.entries()) {
      const value = values[index];
      if (value === undefined || (field.oneof && message.oneofCase(field.oneof) !== undefined)) continue;
      if (field.fieldKind === "list") for (const item of value as readonly string[]) message.get(field).add(item);
      else if (field.fieldKind === "message") message.set(field, reflect(field.message, value as Message));
      else message.set(field, value);
    }
    return message.message;
  });
}

function randomValue(field: DescField, depth: number): fc.Arbitrary<Value> | undefined {
  switch (field.fieldKind) {
    case "scalar":
      // The gateway lowers page limits; other tests cover that.
      if (field.name === "limit") return fc.bigInt({ min: 0n, max: 1000n });
      return randomScalar(field.scalar);
    case "enum":
      return fc.constantFrom(...field.enum.values.map(({ number }) => number));
    case "list":
      if (field.listKind === "message") return undefined;
      return fc.array(
        field.listKind === "enum"
          ? fc.constantFrom(...field.enum.values.map(({ number }) => number))
          : randomScalar(field.scalar),
        { maxLength: 3 },
      );
    case "message":
      if (field.message.typeName.startsWith("google.protobuf.")) return randomKnown(field.message);
      return depth > 0 && field.message.fields.length > 0 ? randomMessage(field.message, depth - 1) : undefined;
    case "map":
      return undefined;
  }
}

function randomKnown(type: DescMessage): fc.Arbitrary<Message> | undefined {
  const filled = (values: Record<string, unknown>) => Object.assign(create(type), values);
  const nanos = fc.constantFrom(0, 1, 500_000_000, 999_999_999);
  switch (type.typeName) {
    case "google.protobuf.Timestamp":
      return fc.record({ seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }), nanos }).map(filled);
    case "google.protobuf.Duration":
      return fc.record({ seconds: fc.bigInt({ min: 0n, max: 315_575_999_999n }), nanos }).map(filled);
    case "google.protobuf.FieldMask":
      return fc.record({ paths: fc.array(fc.constantFrom("a", "b.c", "d"), { maxLength: 3 }) }).map(filled);
    default: {
      const [value] = type.fields;
      return isWrapperDesc(type) && value?.fieldKind === "scalar"
        ? fc.record({ value: randomScalar(value.scalar) }).map(filled)
        : undefined;
    }
  }
}

function randomScalar(type: ScalarType): fc.Arbitrary<string | number | bigint | boolean | Uint8Array> {
  const isZeroBelow = (value: number) => Object.is(value, -0);
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 9 });
    case ScalarType.DOUBLE:
      return fc.double().filter((value) => !isZeroBelow(value));
    case ScalarType.FLOAT:
      return fc.float().filter((value) => !isZeroBelow(value));
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return fc.integer();
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat(0xffffffff);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  }
}
