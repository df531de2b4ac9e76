/**
 * Maps an HTTP request to the request message of its method: the body first, then the path, which always wins, then the
 * query.
 */
import { fromBinary, type DescField, type DescMessage, type Message, type Registry } from "@bufbuild/protobuf";
import { isReflectMessage, reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { depthOf } from "../../../../platform/json.ts";
import { fail } from "../../../../platform/failure.ts";
import { success, type Result } from "../../../../platform/result.ts";
import { fieldNamed, type FieldChain, addToList, holderOf, setSingular } from "../fields.ts";
import { type BoundRule, HTTP_BODY, type BodyTarget } from "../http-rule.ts";
import { quotedName, type TranscodingLimits } from "../limits.ts";
import { messageReader } from "./body-message.ts";
import { parseExactJson, type ExactJson } from "./exact-json.ts";
import { assignQuery, parseQuery } from "./query.ts";

interface RequestInput {
  /** The values of the template's variables, as the route table returns them. */
  readonly values: readonly string[];
  /** Undecoded, without the `?`. */
  readonly query: string;
  /** Absent and empty are equivalent; ignored if `body.kind` of the rule is `none`, so the caller need not read it. */
  readonly body?: RequestBody;
}

export interface MappingOptions extends Pick<BodyOptions, "registry"> {
  readonly limits: TranscodingLimits;
  /** An unknown query parameter fails the request. */
  readonly strict: boolean;
}

/** The message to send, or `invalid-argument`, or `too-long` for too many parameters. */
export function mapRequest(
  bound: BoundRule,
  { values, query, body }: RequestInput,
  { limits, strict, registry }: MappingOptions,
): Result<Message> {
  const root = reflect(bound.method.input);
  if (body !== undefined) {
    const filled = assignBody(root, bound.body, body, { nesting: limits.nesting, registry });
    if (!filled.ok) return filled;
  }
  for (const [index, chain] of bound.variables.entries()) {
    if (!assignVariable(root, chain, values[index] ?? ""))
      return fail(
        "invalid_request",
        `The path's ${quotedName(chain.map(({ name }) => name).join("."))} does not match the type of its field`,
      );
  }
  if (bound.body.kind !== "message" && query !== "") {
    const parameters = parseQuery(query, limits.queryParams);
    if (!parameters.ok) return parameters;
    const taken: FieldChain[] = [
      ...bound.variables,
      ...(bound.body.kind === "field" ? [[bound.body.field] as const] : []),
    ];
    const filled = assignQuery(root, parameters.value, taken, { nesting: limits.nesting, strict });
    if (!filled.ok) return filled;
  }
  clampPages(root, BigInt(limits.pageLimit));
  return success(root.message);
}

/** A request in the form of its message's bytes. @throws Error for other bytes. */
export function requestOfBytes(
  type: DescMessage,
  bytes: Uint8Array,
  { pageLimit }: { readonly pageLimit: number },
): Message {
  const root = reflect(type, fromBinary(type, bytes));
  clampPages(root, BigInt(pageLimit));
  return root.message;
}

/** In a path a list is separated by commas, which two routes of the chain need. */
function assignVariable(root: ReflectMessage, chain: FieldChain, text: string): boolean {
  const holder = holderOf(root, chain, "replace");
  const field = chain.at(-1);
  if (holder === undefined || field === undefined) return false;
  if (field.fieldKind !== "list") return setSingular(holder, field, text);
  holder.clear(field);
  return text.split(",").every((item) => addToList(holder, field, item));
}

const PAGE_REQUEST = "cosmos.base.query.v1beta1.PageRequest";

/** Nodes have no maximum page size. */
function clampPages(root: ReflectMessage, greatest: bigint): void {
  for (const field of root.fields) {
    if (field.fieldKind !== "message" || field.message.typeName !== PAGE_REQUEST || !root.isSet(field)) continue;
    const page = root.get(field);
    const limit = fieldNamed(field.message, "limit");
    if (!isReflectMessage(page) || limit === undefined) continue;
    const asked = page.get(limit);
    if (typeof asked === "bigint" && asked > greatest) page.set(limit, greatest);
  }
}

interface RequestBody {
  readonly bytes: Uint8Array;
  /** Checked only for `google.api.HttpBody`: every other body is JSON, whatever its type. */
  readonly contentType?: string;
}

interface BodyOptions {
  /** Levels of lists and objects. */
  readonly nesting: number;
  /** Finds the types of `Any` values, and the options of fields. */
  readonly registry: Registry;
}

/** Fills `root`. An empty or blank body is the empty message. */
function assignBody(
  root: ReflectMessage,
  target: BodyTarget,
  body: RequestBody,
  { nesting, registry }: BodyOptions,
): Result<undefined> {
  if (target.kind === "none" || body.bytes.length === 0) return success(undefined);
  if (target.kind === "message" && root.desc.typeName === HTTP_BODY) return assignRaw(root, body);
  if (target.kind === "field" && isRaw(target.field)) {
    const raw = reflect(target.field.message);
    const assigned = assignRaw(raw, body);
    root.set(target.field, raw);
    return assigned;
  }
  const json = parseBody(body.bytes);
  if (json === undefined) return fail("invalid_request", "The body is not JSON");
  if (json === BLANK) return success(undefined);
  if (depthOf(json) > nesting) return fail("invalid_request", `The body is nested deeper than ${nesting} levels`);
  try {
    messageReader(registry).fill(root, target.kind === "message" ? json : { [target.field.name]: json });
    return success(undefined);
  } catch {
    return fail("invalid_request", `The body does not match ${root.desc.typeName}`);
  }
}

function isRaw(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && field.message.typeName === HTTP_BODY;
}

function assignRaw(message: ReflectMessage, { bytes, contentType }: RequestBody): Result<undefined> {
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
