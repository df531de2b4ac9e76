/**
 * A body into the request message: JSON, as body-message.ts reads it, or for a `google.api.HttpBody` the bytes as they
 * are.
 */
import type { DescField, Registry } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { depthOf } from "../../../platform/json.ts";
import { success, type Result } from "../../../platform/result.ts";
import { HTTP_BODY, type BodyTarget } from "../bound-rule.ts";
import { invalidArgument, type TranscodingFault } from "../fault.ts";
import { fieldNamed } from "../field-path.ts";
import { messageReader } from "./body-message.ts";
import { parseExactJson, type ExactJson } from "./exact-json.ts";

export interface RequestBody {
  readonly bytes: Uint8Array;
  /** Looked at for `google.api.HttpBody` only: every other body is JSON, whatever it is called. */
  readonly contentType?: string;
}

export interface BodyOptions {
  /** Levels of lists and objects. */
  readonly nesting: number;
  /** Finds the types of `Any` values, and the options of fields. */
  readonly registry: Registry;
}

/** Fills `root`. No bytes, or blanks alone, are the empty message. */
export function assignBody(
  root: ReflectMessage,
  target: BodyTarget,
  body: RequestBody,
  { nesting, registry }: BodyOptions,
): Result<undefined, TranscodingFault> {
  if (target.kind === "none" || body.bytes.length === 0) return success(undefined);
  if (target.kind === "message" && root.desc.typeName === HTTP_BODY) return assignRaw(root, body);
  if (target.kind === "field" && isRaw(target.field)) {
    const raw = reflect(target.field.message);
    const assigned = assignRaw(raw, body);
    root.set(target.field, raw);
    return assigned;
  }
  const json = parseBody(body.bytes);
  if (json === undefined) return invalidArgument("The body is not JSON");
  if (json === BLANK) return success(undefined);
  if (depthOf(json) > nesting) return invalidArgument(`The body nests deeper than ${nesting} levels`);
  try {
    messageReader(registry).fill(root, target.kind === "message" ? json : { [target.field.name]: json });
    return success(undefined);
  } catch {
    return invalidArgument(`The body does not fit ${root.desc.typeName}`);
  }
}

function isRaw(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && field.message.typeName === HTTP_BODY;
}

function assignRaw(message: ReflectMessage, { bytes, contentType }: RequestBody): Result<undefined, TranscodingFault> {
  const type = fieldNamed(message.desc, "content_type");
  const data = fieldNamed(message.desc, "data");
  if (type !== undefined && contentType !== undefined) message.set(type, contentType);
  if (data !== undefined) message.set(data, bytes);
  return success(undefined);
}

const BLANK = Symbol("no text");

function parseBody(bytes: Uint8Array): ExactJson | typeof BLANK | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.trim() === "" ? BLANK : parseExactJson(text);
  } catch {
    return undefined;
  }
}
