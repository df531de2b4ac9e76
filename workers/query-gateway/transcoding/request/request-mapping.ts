/**
 * An HTTP request into the request message of its method (contract D, section 3): the body first, then the path, which
 * always wins, then the query. Reads no streams: whoever calls has bounded and read the body.
 */
import type { Message } from "@bufbuild/protobuf";
import { isReflectMessage, reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { success, type Result } from "../../../platform/result.ts";
import type { BoundRule } from "../bound-rule.ts";
import { invalidArgument, quoted, type TranscodingFault } from "../fault.ts";
import { fieldNamed, type FieldChain } from "../field-path.ts";
import type { TranscodingLimits } from "../limits.ts";
import { assignBody, type BodyOptions, type RequestBody } from "./body.ts";
import { addToList, holderOf, setSingular } from "./field-values.ts";
import { assignQuery } from "./query-parameters.ts";
import { parseQuery } from "./query-string.ts";

export interface RequestParts {
  /** The values of the template's variables, as the route table hands them out. */
  readonly values: readonly string[];
  /** Undecoded, without the `?`. */
  readonly query: string;
  /** Absent or empty alike; ignored where `body.kind` of the rule is `none`, so the caller need not take it in. */
  readonly body?: RequestBody;
}

export interface MappingOptions extends Pick<BodyOptions, "registry"> {
  readonly limits: TranscodingLimits;
  /** An unknown query parameter is a fault. */
  readonly strict: boolean;
}

/** The message to send, or `invalid-argument`, or `too-long` for too many parameters. */
export function mapRequest(
  bound: BoundRule,
  { values, query, body }: RequestParts,
  { limits, strict, registry }: MappingOptions,
): Result<Message, TranscodingFault> {
  const root = reflect(bound.method.input);
  if (body !== undefined) {
    const filled = assignBody(root, bound.body, body, { nesting: limits.nesting, registry });
    if (!filled.ok) return filled;
  }
  for (const [index, chain] of bound.variables.entries()) {
    if (!assignVariable(root, chain, values[index] ?? ""))
      return invalidArgument(`The path's ${quoted(chain.map(({ name }) => name).join("."))} does not fit its field`);
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

/** In a path a list is parted by commas, which two routes of the chain need. */
function assignVariable(root: ReflectMessage, chain: FieldChain, text: string): boolean {
  const holder = holderOf(root, chain, "replace");
  const field = chain.at(-1);
  if (holder === undefined || field === undefined) return false;
  if (field.fieldKind !== "list") return setSingular(holder, field, text);
  holder.clear(field);
  return text.split(",").every((item) => addToList(holder, field, item));
}

const PAGE_REQUEST = "cosmos.base.query.v1beta1.PageRequest";

/** Nodes have no greatest page of their own. */
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
