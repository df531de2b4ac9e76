/** The tool calls that a model wants, as far as they can be checked without the tools: what cannot be stored is refused. */
import type { ModelToolCall } from "../../../workers/oracle/framework/middleware.ts";
import { type JsonObject, depthOf, isJsonObject } from "../../../workers/platform/json.ts";

/** How large the arguments of one call may be, UTF-16 units of their JSON: a call is stored in one row and twice in frames. */
export const CALL_INPUT_SIZE = 128 * 1024;
/** How deep they may be nested: a recursive writer of JSON would run out of stack. */
export const CALL_INPUT_DEPTH = 100;

/** Of arguments that do not fit. */
export const REFUSED = "The arguments do not fit the tool";

export interface WantedCall {
  readonly modelCallId: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly args: JsonObject;
  /** Why the call cannot be made, in words for the model. */
  readonly problem?: string;
}

export function wantedCall({ id: modelCallId, name, args }: ModelToolCall): WantedCall {
  const call = { modelCallId, name };
  if (!isBounded(args)) return { ...call, args: {}, problem: `The arguments are too large: ${name}` };
  return isJsonObject(args) ? { ...call, args } : { ...call, args: {}, problem: `${REFUSED}: ${name}` };
}

function isBounded(args: unknown): boolean {
  return depthOf(args) <= CALL_INPUT_DEPTH && JSON.stringify(args).length <= CALL_INPUT_SIZE;
}
