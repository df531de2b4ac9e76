/** What client-calls.ts stores as JSON: a call and what it came to, read back with a check of their form. */
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../workers/platform/json.ts";

/** Whatever JSON.parse gives is JSON; that a member is there must be seen. */
const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

const outcome = z.union([z.object({ output: jsonValue }), z.object({ error: z.string() })]);

export type Outcome = { readonly output: JsonValue } | { readonly error: string };

const clientCall = z.object({
  toolCallId: z.string(),
  kind: z.enum(["browser", "action"]),
  sessionId: z.string(),
  name: z.string(),
  args: z.custom<JsonObject>(isJsonObject),
  requestId: z.string(),
  /** The socket of the tab that asked, when the request named it. */
  socketId: z.string().exactOptional(),
});

export type ClientCall = Readonly<z.infer<typeof clientCall>>;

/** @returns undefined for what is no stored call. */
export function readCall(text: string): ClientCall | undefined {
  return parsed(clientCall, text);
}

/** @returns undefined for what is no stored outcome. */
export function readOutcome(text: string): Outcome | undefined {
  return parsed(outcome, text);
}

function parsed<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
