/** Which function of well-known.ts prints which google.protobuf type, wrappers included. Any is apart (any.ts). */
import type { DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { scalarWriter } from "./scalar-writers.ts";
import { duration, fieldMask, list, struct, timestamp, value } from "./well-known.ts";

/** @returns nothing for a message that is printed as an object. */
export function wellKnownWriter(
  type: DescMessage,
  state: { fault?: string },
): ((message: unknown) => string) | undefined {
  const orFault = (text: string | undefined): string => {
    if (text === undefined) state.fault ??= `A ${type.typeName} is out of range`;
    return text ?? "null";
  };
  switch (type.typeName) {
    case "google.protobuf.Timestamp":
      return (message) => orFault(timestamp(message as Parameters<typeof timestamp>[0]));
    case "google.protobuf.Duration":
      return (message) => orFault(duration(message as Parameters<typeof duration>[0]));
    case "google.protobuf.FieldMask":
      return (message) => fieldMask(message as Parameters<typeof fieldMask>[0]);
    case "google.protobuf.Struct":
      return (message) => struct(message as Parameters<typeof struct>[0]);
    case "google.protobuf.Value":
      return (message) => value(message as Parameters<typeof value>[0]);
    case "google.protobuf.ListValue":
      return (message) => list(message as Parameters<typeof list>[0]);
    default:
      return isWrapperDesc(type) ? wrapperWriter(type) : undefined;
  }
}

function wrapperWriter(type: DescMessage): ((message: unknown) => string) | undefined {
  const [field] = type.fields;
  if (field?.fieldKind !== "scalar") return undefined;
  const write = scalarWriter(field.scalar, undefined);
  return (message) => write((message as { readonly value: unknown }).value);
}
