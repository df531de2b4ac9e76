/** Which google.protobuf type is printed how, Any included: `@type` first, as it came, then the message inside. */
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { Writing } from "./message-writer.ts";
import { scalarWriter, base64, quoted } from "./scalars.ts";
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

interface AnyMessage {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** Any in Any: far more than any chain nests, far less than the stack holds. What lies deeper is printed as unknown. */
export const ANY_DEPTH_MAX = 32;

export function anyWriter(writing: Writing): (message: unknown) => string {
  const { settings, state } = writing;
  const unknown = ({ typeUrl, value }: AnyMessage, why: string): string => {
    // A newer image would print it as what it is.
    state.unknownFields += 1;
    if (settings.unknownAny === "error") state.fault ??= `${why}: ${typeUrl}`;
    return `{"@type":${quoted(typeUrl)},"value":${base64(value)}}`;
  };
  return (message) => {
    const any = message as AnyMessage;
    if (any.typeUrl === "") return "{}";
    // Cosmos urls have no host: `/cosmos.auth.v1beta1.BaseAccount`.
    const type = settings.registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf("/") + 1));
    if (type === undefined) return unknown(any, "No type of this name is known");
    if (state.anyDepth >= ANY_DEPTH_MAX) return unknown(any, "Too many messages lie in one another");
    const inner = decode(type, any.value);
    if (inner === undefined) return unknown(any, "The bytes are not a message of this type");
    state.anyDepth += 1;
    const text = withType(any.typeUrl, type, inner);
    state.anyDepth -= 1;
    return text;
  };

  function withType(typeUrl: string, type: DescMessage, inner: unknown): string {
    const head = `{"@type":${quoted(typeUrl)}`;
    if (type.typeName === "google.protobuf.Any" || wellKnownWriter(type, state) !== undefined)
      return `${head},"value":${writing.messageOf(type)(inner)}}`;
    const members = writing.membersOf(type)(inner);
    return members === "" ? `${head}}` : `${head},${members}}`;
  }
}

/** The bytes come from a node, but nobody has looked into them yet. */
function decode(type: DescMessage, bytes: Uint8Array): unknown {
  try {
    return fromBinary(type, bytes);
  } catch {
    return undefined;
  }
}
