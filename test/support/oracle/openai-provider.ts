/** The client of OpenAI-compatible services over a server that is started for each test. */
import { afterEach, beforeEach } from "vitest";
import type { ModelProvider } from "../../../oracle/models/model-port.ts";
import { manualTimers, type ManualTimers } from "../clocks/manual-timers.ts";
import { startOpenAiServer, type OpenAiServer } from "./openai-server.ts";
import { parseModelConfig } from "../../../oracle/models/config.ts";
import { createModelProvider } from "../../../oracle/models/provider.ts";

/** Starts a server for each test of the file. */
export function openAiProvider() {
  const KEY = "sk-secret-of-the-operator";
  let server: OpenAiServer;
  let timers: ManualTimers;
  beforeEach(async () => {
    server = await startOpenAiServer({ apiKey: KEY });
    timers = manualTimers();
  });

  afterEach(() => server.close());
  function provider(env: Record<string, string> = {}): ModelProvider {
    const config = parseModelConfig({
      LLM_PROVIDER: "openai-compatible",
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: KEY,
      MODELS: '[{"id":"small"},{"id":"large","isDefault":true}]',
      LLM_TIMEOUT_MS: "1234",
      ...env,
    });
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    return createModelProvider(config.value, { fetch, timers, now: Date.now, mintId: () => "unused" });
  }

  return {
    KEY,
    get server() {
      return server;
    },
    /** A server in place of one that a test has closed. */
    set server(started) {
      server = started;
    },
    get timers() {
      return timers;
    },
    provider,
  };
}
