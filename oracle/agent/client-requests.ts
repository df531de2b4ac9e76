/**
 * What a run asks of its client: the model's calls of the client's tools, and those that plugins make with
 * `ctx.callBrowserTool` and `ctx.callAction`. Both take the same way; a plugin's call has an id of its own and no card.
 */
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { ClientSide } from "../framework/tools.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { CallOutcome } from "../runs/call-outcomes.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import { wantedCall } from "./arguments.ts";

export interface ClientRequestOptions {
  readonly env: Env;
  readonly active: Pick<ActiveRun, "run" | "closed" | "signal" | "newCallId">;
  readonly request: Pick<RunRequest, "requestId" | "metadata" | "tools" | "agActions">;
  readonly sessionId: string;
  readonly clientCalls: Pick<ClientCalls, "make">;
}

interface WantedOfClient {
  readonly kind: ClientSide;
  readonly name: string;
  readonly args: JsonObject;
  readonly toolCallId: string;
}

const nouns: Readonly<Record<ClientSide, string>> = { browser: "browser tool", action: "action" };

export function createClientRequests(options: ClientRequestOptions) {
  const { env, active, request, sessionId, clientCalls } = options;
  const { requestId, metadata, tools, agActions } = request;
  const { socketId } = metadata;
  const preferred = typeof socketId === "string" ? { socketId } : {};
  const declared: Readonly<Record<ClientSide, RunRequest["tools"]>> = { browser: tools, action: agActions };

  /** `staysInMemory`: nobody else can continue what waits. */
  async function ask(wanted: WantedOfClient, staysInMemory = false): Promise<CallOutcome> {
    const made = active.closed
      ? undefined
      : clientCalls.make(
          active.run.ordinal,
          { ...withoutSecrets(env, wanted), sessionId, requestId, ...preferred },
          staysInMemory,
        );
    return (await unlessEnded(active, made)) ?? { error: "The turn has ended" };
  }

  async function askForPlugin(kind: ClientSide, name: string, args: JsonObject): Promise<JsonValue> {
    if (!declared[kind].some((tool) => tool.name === name))
      throw new Error(`This request brought no ${nouns[kind]} of the name ${name}`);
    const { problem } = wantedCall({ id: "", name, args });
    if (problem !== undefined) throw new Error(problem);
    const outcome = await ask({ kind, name, args, toolCallId: active.newCallId(kind) }, true);
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome.output;
  }

  return {
    ask,
    callBrowserTool: (name: string, args: JsonObject): Promise<JsonValue> => askForPlugin("browser", name, args),
    callAction: (name: string, args: JsonObject): Promise<JsonValue> => askForPlugin("action", name, args),
  };
}

/** What the wait results in; undefined when the run ends before. */
export async function unlessEnded<Value>(
  { closed, signal }: Pick<ActiveRun, "closed" | "signal">,
  wait: Promise<Value> | undefined,
): Promise<Value | undefined> {
  if (wait === undefined || closed) return undefined;
  const ended = Promise.withResolvers<undefined>();
  const giveUp = (): void => ended.resolve(undefined);
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([wait, ended.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
