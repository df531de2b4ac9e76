/** What a definition says of itself beside its type: `deprecated`, and the comment above it where an image carries comments. */
import type { DescField, DescFile, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { JsonObject } from "../../platform/json.ts";

type Noted = DescField | DescMessage | DescMethod;

export function notesOf(desc: Noted): JsonObject {
  const text = commentOf(desc);
  return { ...(text !== undefined && { description: text }), ...(desc.deprecated && { deprecated: true }) };
}

/** Comments of a file by the place of what they stand above: numbers of google/protobuf/descriptor.proto, joined. */
const comments = new WeakMap<DescFile, ReadonlyMap<string, string>>();

const [FILE_MESSAGE, FILE_SERVICE, MESSAGE_FIELD, MESSAGE_NESTED, SERVICE_METHOD] = [4, 6, 2, 3, 2];

function commentOf(desc: Noted): string | undefined {
  const file = desc.kind === "message" ? desc.file : desc.parent.file;
  const known = comments.get(file) ?? commentsIn(file);
  comments.set(file, known);
  return known.size === 0 ? undefined : known.get(placeOf(desc).join("."));
}

function commentsIn({ proto }: DescFile): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { path, leadingComments } of proto.sourceCodeInfo?.location ?? []) {
    // Each line begins with the blank after its slashes.
    const text = leadingComments.replaceAll(/^ /gm, "").trim();
    if (text !== "") found.set(path.join("."), text);
  }
  return found;
}

function placeOf(desc: Noted): readonly number[] {
  switch (desc.kind) {
    case "message":
      return desc.parent === undefined
        ? [FILE_MESSAGE, desc.file.proto.messageType.indexOf(desc.proto)]
        : [...placeOf(desc.parent), MESSAGE_NESTED, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case "field":
      return [...placeOf(desc.parent), MESSAGE_FIELD, desc.parent.proto.field.indexOf(desc.proto)];
    case "rpc":
      return [
        FILE_SERVICE,
        desc.parent.file.proto.service.indexOf(desc.parent.proto),
        SERVICE_METHOD,
        desc.parent.proto.method.indexOf(desc.proto),
      ];
  }
}
