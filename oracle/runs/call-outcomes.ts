/**
 * The outcomes of a client tool's call: the client's result, an error, or unknown. An unknown outcome is an output and not an
 * error: the client may have run the tool, so the call must not be repeated.
 */
import * as z from "zod";
import { depthOf, isJsonObject, readStoredJson, type JsonObject, type JsonValue } from "../../platform/json.ts";
import type { ClientSide } from "../framework/tools.ts";

/** Maximum size of a result, UTF-16 units of its JSON, as for any tool. */
export const RESULT_SIZE = 256 * 1024;
/** Maximum nesting of a result. */
export const RESULT_DEPTH = 100;
/** The `code` of an unknown outcome, by which clients distinguish it from a failure. */
const OUTCOME_UNKNOWN = "FRONTEND_OUTCOME_UNKNOWN";

/** JSON.parse returns only JSON; the check is for the member's presence. */
const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

const storedOutcome = z.union([z.object({ output: jsonValue }), z.object({ error: z.string() })]);

export type CallOutcome = { readonly output: JsonValue } | { readonly error: string };

/** Why the outcome is unknown. */
export type UnknownReason = "timeout" | "socket-gone" | "unreadable";

interface NamedCall {
  readonly kind: ClientSide;
  readonly name: string;
}

export const NO_BROWSER: CallOutcome = { error: "No browser is connected" };
/** The outcome of a call that was never sent. */
export const UNREADABLE: CallOutcome = { error: "The call can no longer be read" };

export function readOutcome(text: string, invocationId: string): CallOutcome {
  return readStoredJson(storedOutcome, text) ?? unknownOutcome(undefined, invocationId, "unreadable");
}

/** The outcome in a client's result: an action reports its failure inside its result. */
export function outcomeOf({ kind, name }: NamedCall, given: CallOutcome): CallOutcome {
  const value = "error" in given ? given.error : given.output;
  const fits = depthOf(value) <= RESULT_DEPTH && JSON.stringify(value).length <= RESULT_SIZE;
  if (!fits) return { error: `The result of ${name} is too large` };
  if ("error" in given || kind !== "action") return given;
  const error = actionError(given.output);
  return error === undefined ? given : { error };
}

/** A client may also report that its action's outcome is unknown. */
function actionError(result: JsonValue): string | undefined {
  if (!isJsonObject(result) || result["code"] === OUTCOME_UNKNOWN) return undefined;
  const { success, error } = result;
  if (success !== false && !error) return undefined;
  return typeof error === "string" && error !== "" ? error : "Action failed";
}

/** `call` is undefined when its row cannot be read. */
export function unknownOutcome(call: NamedCall | undefined, invocationId: string, reason: UnknownReason): CallOutcome {
  const message = `The outcome of ${call?.name ?? "the call"} is unknown: ${sentences[reason]}. It may have been done.`;
  const output: JsonObject = { success: false, code: OUTCOME_UNKNOWN, outcome: "unknown", invocationId, message };
  return { output };
}

const sentences: Readonly<Record<UnknownReason, string>> = {
  timeout: "the client returned no result in time",
  "socket-gone": "the client was disconnected before it returned a result",
  unreadable: "its stored data can no longer be read",
};
