/** The settings of an oracle under test: no network, only the test's plugins, the built-in model by default. */
import type { OracleSettings, SocketCaller } from "../../../oracle/settings.ts";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createSealing } from "../../../oracle/framework/sealed-texts.ts";
import { turnHooksOf } from "../../../oracle/framework/turn-hooks.ts";
import type { PluginKv } from "../../../oracle/framework/storage.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import type { ModelProvider } from "../../../oracle/models/model-port.ts";
import { type Result, success } from "../../../platform/result.ts";
import { fail } from "../../../platform/failure.ts";
import { classifyFailure, upstreamOf } from "../../../oracle/models/failures.ts";
import { createLocalModel } from "../../../oracle/models/local-model/model.ts";
import { systemTimers } from "../../../oracle/models/timeouts.ts";

/** Plugins under test have no settings. */
export type SettingsChange = Partial<Omit<OracleSettings, "plugins">> & {
  readonly plugins?: readonly PluginDefinition[];
};

export function chatSettings({ plugins = [], ...change }: SettingsChange = {}): OracleSettings {
  const local = createLocalModel({ modelId: "local", timers: systemTimers, mintId: () => crypto.randomUUID() });
  return {
    models: chatModels(local),
    plugins: plugins.map((plugin) => ({ plugin, config: undefined, turnHooks: turnHooksOf(plugin) })),
    profile: { name: "Oracle", did: "did:ixo:ixo1oracletest", entityDid: "did:ixo:ixo1oracletest" },
    oracleParts: () => ({ oracleKv: noKv, sealing: createSealing(async () => new Uint8Array(32), "test") }),
    mint: async () => fail("unavailable", "nothing is minted here"),
    verify: async () => fail("unavailable", "nothing is verified here"),
    promptThrottleSeconds: 0,
    tokensPerDay: { ofUser: 0, ofAll: 0 },
    limits: {
      maxTokens: 500_000,
      maxToolCalls: 120,
      maxSteps: 16,
      timeoutMs: 600_000,
      maxIdenticalWrites: 1,
      maxIdenticalReads: 5,
    },
    authenticator: { requestsPerMinute: 1_000, verify: async ({ invocation }) => byName(invocation) },
    ...change,
  };
}

const unreachable = (): Promise<never> => Promise.reject(new Error("no oracle's own storage here"));
const noKv: PluginKv = {
  get: unreachable,
  set: unreachable,
  setIfAbsent: unreachable,
  delete: unreachable,
  list: unreachable,
};

/** The DID itself is the token that proves it. */
function byName(token: string | undefined): Result<SocketCaller> {
  return token?.startsWith("did:") === true ? success({ did: token }) : fail("unauthenticated", "No such user");
}

/** A provider with one model, which is never retried within a step. */
export function chatModels(model: LanguageModelV4, contextTokens = 32_000): ModelProvider {
  return {
    rows: [],
    defaultModelId: model.modelId,
    maxRetries: 0,
    model: () => model,
    contextTokens: () => contextTokens,
    maxOutputTokens: () => 8_192,
    upstreamOf,
    classify: (error) => classifyFailure(error, { provider: "test", providerLabel: "Test" }, Date.now),
    title: async (text) => text.slice(0, 60),
  };
}
