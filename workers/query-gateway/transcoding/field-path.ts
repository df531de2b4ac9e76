/** Names of fields to descriptors: by proto name or JSON name, in queries and bodies alike (contract D, section 3). */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { failure, success, type Result } from "../../platform/result.ts";
import { readsFromText } from "./request/well-known.ts";

/** Fields from the request message down to the one that is meant; never empty. */
export type FieldChain = readonly [DescField, ...DescField[]];

const names = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

export function fieldNamed(message: DescMessage, name: string): DescField | undefined {
  const known = names.get(message) ?? readNames(message);
  return known.get(name);
}

/** Where a JSON name of one field is the proto name of another, the proto name counts. */
function readNames(message: DescMessage): ReadonlyMap<string, DescField> {
  const known = new Map([
    ...message.fields.map((field) => [field.jsonName, field] as const),
    ...message.fields.map((field) => [field.name, field] as const),
  ]);
  names.set(message, known);
  return known;
}

/** Types that are JSON themselves: their inner fields have no names in a query. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

/** Whether a dotted name may go on below this field. */
export function leadsOn(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && !JSON_TYPES.has(field.message.typeName) && !isWrapperDesc(field.message);
}

/** The fields that a template's variable names, or why it cannot be bound to them. */
export function bindVariable(message: DescMessage, path: readonly string[]): Result<FieldChain, string> {
  const name = path.join(".");
  const chain: DescField[] = [];
  let parent: DescMessage | undefined = message;
  for (const part of path) {
    const field: DescField | undefined = parent && fieldNamed(parent, part);
    if (field === undefined) return failure(`${name} is not a field of ${message.typeName}`);
    chain.push(field);
    parent = leadsOn(field) ? field.message : undefined;
  }
  const [first, ...rest] = chain;
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return failure("a variable names no field");
  return isBindable(last) ? success([first, ...rest]) : failure(`${name} cannot be written as a part of a path`);
}

function isBindable(field: DescField): boolean {
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
      return true;
    case "list":
      return field.listKind !== "message";
    case "message":
      return readsFromText(field.message);
    case "map":
      return false;
  }
}
