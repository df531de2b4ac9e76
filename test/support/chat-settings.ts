/** The settings of an oracle under test: the built-in model, no network, and whatever plugins a test brings. */
import type { OracleSettings } from "../../durable-objects/chat-session/agent.ts";
import { failure } from "../../workers/platform/result.ts";
import { fault } from "../../workers/platform/errors.ts";
import { createLocalModel } from "../../workers/oracle/models/local-model.ts";
import { systemTimers } from "../../workers/oracle/models/timers.ts";

export function chatSettings(change: Partial<OracleSettings> = {}): OracleSettings {
  const model = createLocalModel({ modelId: "local", timers: systemTimers, mintId: () => crypto.randomUUID() });
  return {
    models: {
      rows: [],
      defaultModelId: "local",
      maxRetries: 0,
      model: () => model,
      classify: (error) => ({ kind: "unknown", message: String(error), retryable: false, source: "platform" }),
      title: async (text) => text.slice(0, 60),
    },
    plugins: [],
    profile: { name: "Oracle", did: "did:ixo:ixo1oracletest" },
    mint: async () => failure(fault("unavailable", "nothing is minted here")),
    promptThrottleSeconds: 0,
    ...change,
  };
}
