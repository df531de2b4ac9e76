/**
 * What becomes of a message as an HTTP body: the whole of it, the field that `response_body` names, or the raw data of a
 * `google.api.HttpBody` (contract D, section 4).
 */
import type { Message } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../../platform/result.ts";
import type { MessageWriter } from "../json/message-writer.ts";
import type { ResponseSelection } from "../transcoding/bound-rule.ts";

export interface Document {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Fields that a newer chain sent and no set knows. */
  readonly unknownFields: number;
}

export const JSON_TYPE = "application/json";
/** Of an HttpBody that names none. */
const BYTES_TYPE = "application/octet-stream";
const encoder = new TextEncoder();

export function jsonDocument(text: string): Document {
  return { contentType: JSON_TYPE, body: encoder.encode(text), unknownFields: 0 };
}

export function printDocument(selection: ResponseSelection, message: Message, writer: MessageWriter): Result<Document> {
  if (selection.kind === "http-body") return success(rawDocument(selection.field?.localName, message));
  const printed =
    selection.kind === "field" ? writer.writeField(selection.field, message) : writer.write(selection.message, message);
  if (!printed.ok) return failure(printed.error);
  return success({ ...jsonDocument(printed.value.text), unknownFields: printed.value.unknownFields });
}

/** Fields of google.api.HttpBody as protobuf-es names them. */
interface HttpBody {
  readonly contentType: string;
  readonly data: Uint8Array;
}

function rawDocument(field: string | undefined, message: Message): Document {
  const held = field === undefined ? message : (message as Message & Record<string, unknown>)[field];
  const { contentType, data } = (held ?? { contentType: "", data: new Uint8Array() }) as HttpBody;
  // What cannot stand in a header is no type.
  const isType = /^[\x21-\x7e][\x20-\x7e]*$/.test(contentType);
  return { contentType: isType ? contentType : BYTES_TYPE, body: data, unknownFields: 0 };
}
