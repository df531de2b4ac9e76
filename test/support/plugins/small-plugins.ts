/** Minimal plugins and tools for tests. */
import { WEB_CLIENT } from "../../../protocol/requests.ts";
import * as z from "zod";
import type { ModelFacts, RuntimeContext } from "../../../oracle/framework/context.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import type { PluginTool, ToolContext } from "../../../oracle/framework/tools.ts";
import { fail } from "../../../platform/failure.ts";
import type { JsonValue } from "../../../platform/json.ts";
import { createLogger } from "../../../platform/log.ts";

export function plugin(name: string, parts: Partial<PluginDefinition>): PluginDefinition {
  const manifest = { title: name, summary: `does ${name}`, whenToUse: ["always"], visibility: "always" } as const;
  return { name, version: "1.0.0", manifest, ...parts };
}

const localModel: ModelFacts = {
  id: "local",
  vision: false,
  contextTokens: 32_000,
  pricing: { inputPerMillion: 0, outputPerMillion: 0, currency: "USD", unit: "per_million_tokens" },
};

/** The context of a separate run, which contains only the test's values. */
export function runtimeContext(change: Partial<ToolContext> = {}): ToolContext {
  const refusal = fail("forbidden", "no delegation");
  const unreachable = (): Promise<never> => Promise.reject(new Error("not part of this test"));
  const context: RuntimeContext = {
    env: {} as Env,
    config: undefined,
    identity: { name: "Oracle", did: "did:ixo:ixo1oracletest", entityDid: "did:ixo:ixo1oracletest" },
    availablePlugins: new Set(),
    loadedPlugins: new Set(),
    estimateTokens: () => 10,
    spendTokens: async () => true,
    user: {
      did: "did:key:zUser",
      isPersonal: true,
      payer: "did:key:zUser",
      currentTime: "2026-11-21T09:00:00.000Z",
    },
    session: { id: "session-1", client: "portal", capabilities: WEB_CLIENT, requestId: "req-1", runId: "run-1" },
    request: { message: "hello", attachments: [], tools: [], agActions: [], metadata: {}, mcpInvocations: {} },
    model: localModel,
    modelOf: () => localModel,
    state: {},
    history: { messages: [], recent: () => [], hasAttachments: false },
    abortSignal: new AbortController().signal,
    holdsForeignText: () => false,
    ucan: {
      delegation: async () => undefined,
      hasCapability: async () => false,
      requireCapability: async () => refusal,
      mintInvocation: async () => refusal,
      verifyInvocation: async () => refusal,
    },
    kv: { get: unreachable, set: unreachable, setIfAbsent: unreachable, delete: unreachable, list: unreachable },
    blobs: undefined,
    oracleKv: { get: unreachable, set: unreachable, setIfAbsent: unreachable, delete: unreachable, list: unreachable },
    sealing: { seal: unreachable, open: unreachable },
    texts: {
      put: unreachable,
      get: unreachable,
      search: unreachable,
      list: unreachable,
      delete: unreachable,
      clear: unreachable,
    },
    remembered: (_key, read) => read(),
    askUser: unreachable,
    callBrowserTool: unreachable,
    callAction: unreachable,
    background: () => undefined,
    notice: () => undefined,
    emit: () => undefined,
    onTurnEnd: () => undefined,
    logger: createLogger({}, () => undefined),
  };
  return { ...context, toolCallId: "call-1", ...change };
}

/** A tool that accepts any object. */
export function tool(name: string, handler: PluginTool["handler"]): PluginTool {
  return { name, description: `does ${name}`, schema: z.looseObject({}), handler };
}

/** A plugin with one tool that has a constant result. */
export function toolPlugin(name: string, output: JsonValue): PluginDefinition {
  return plugin(`plugin-${name}`, { getTools: () => [tool(name, async () => output)] });
}
