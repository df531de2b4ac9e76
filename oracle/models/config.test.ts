/** The models' part of the configuration: defaults, limits, and a problem for each invalid variable. */
import { describe, expect, it } from "vitest";
import { manualTimers } from "../../test/support/clocks/manual-timers.ts";
import { askModel } from "../../test/support/oracle/model-answer.ts";
import { MAX_MODEL_ROWS, type ModelConfig, parseModelConfig } from "./config.ts";
import { createModelProvider } from "./provider.ts";
import { titleMeter } from "../../test/support/oracle/title-meter.ts";

function parsed(env: object): ModelConfig {
  const config = parseModelConfig(env);
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return config.value;
}

function wrongVariables(env: object): readonly string[] {
  const config = parseModelConfig(env);
  return config.ok ? [] : config.error.map(({ variable }) => variable);
}

function modelList(length: number): string {
  return JSON.stringify(Array.from({ length }, (_, row) => ({ id: `m${row}` })));
}

const remote = { LLM_PROVIDER: "openai-compatible", OPENAI_API_KEY: "sk-1", DEFAULT_MODEL: "gpt" };

describe("without any variable [OR-6, OR-133]", () => {
  it("only the built-in model exists, and it says what it is", () => {
    const config = parsed({});
    expect(config).toMatchObject({ provider: "local", defaultModelId: "local", timeoutMs: 60_000, maxRetries: 2 });
    expect(config.rows).toEqual([
      {
        id: "local",
        label: "Built-in development model",
        family: "local",
        tier: "everyday",
        costLabel: "$",
        badge: "Fast",
        blurb: expect.stringContaining("development") as string,
        vision: false,
        pricing: { inputPerMillion: 0, outputPerMillion: 0, currency: "USD", unit: "per_million_tokens" },
        isDefault: true,
      },
    ]);
  });

  it("blank variables count as unset, and DEFAULT_MODEL applies to other providers", () => {
    const env = { LLM_PROVIDER: "", MODELS: " ", DEFAULT_MODEL: "gpt", OPENAI_BASE_URL: "", LLM_TIMEOUT_MS: "" };
    expect(parsed(env)).toMatchObject({ defaultModelId: "local", timeoutMs: 60_000 });
  });
});

describe("rows [OR-6]", () => {
  it("are completed with the defaults of their tier", () => {
    const MODELS = JSON.stringify([
      { id: "openai/gpt-mini", tier: "everyday" },
      { id: "@cf/meta/llama", label: "Llama", tier: "top", vision: true, pricing: { inputPerMillion: 1.5 } },
    ]);
    const { rows, defaultModelId } = parsed({ ...remote, DEFAULT_MODEL: "", MODELS });
    expect(defaultModelId).toBe("openai/gpt-mini");
    expect(rows).toMatchObject([
      { family: "openai", label: "openai/gpt-mini", costLabel: "$", badge: "Fast", vision: false, isDefault: true },
      { family: "openai-compatible", costLabel: "$$$", badge: "Smartest", vision: true, isDefault: false },
    ]);
    expect(rows[1]?.pricing).toEqual({
      inputPerMillion: 1.5,
      outputPerMillion: 0,
      currency: "USD",
      unit: "per_million_tokens",
    });
  });

  it.each([
    ["the marked one", undefined, "b"],
    ["the one that DEFAULT_MODEL names", "a", "a"],
  ])("have one default: %s", (_, DEFAULT_MODEL, expected) => {
    const env = { ...remote, DEFAULT_MODEL, MODELS: '[{"id":"a"},{"id":"b","isDefault":true}]' };
    const { rows, defaultModelId } = parsed(env);
    expect(defaultModelId).toBe(expected);
    expect(rows.filter((row) => row.isDefault).map((row) => row.id)).toEqual([expected]);
  });

  it("come from DEFAULT_MODEL without a list", () => {
    expect(parsed(remote).rows).toMatchObject([{ id: "gpt", isDefault: true }]);
  });

  it("are limited to the maximum number", () => {
    expect(parsed({ MODELS: modelList(MAX_MODEL_ROWS) }).rows).toHaveLength(MAX_MODEL_ROWS);
    expect(wrongVariables({ MODELS: modelList(MAX_MODEL_ROWS + 1) })).toEqual(["MODELS"]);
  });
});

describe("problems [OR-133]", () => {
  it.each<[string, object]>([
    ["LLM_PROVIDER", { LLM_PROVIDER: "gpt" }],
    ["MODELS", { MODELS: "{" }],
    ["MODELS", { MODELS: '{"id":"a"}' }],
    ["MODELS", { MODELS: "[{}]" }],
    ["MODELS", { MODELS: '[{"id":"a","tier":"cheap"}]' }],
    ["MODELS", { MODELS: '[{"id":"a","pricing":{"inputPerMillion":-1}}]' }],
    ["MODELS", { MODELS: '[{"id":"a"},{"id":"a"}]' }],
    ["MODELS", { MODELS: '[{"id":"a","isDefault":true},{"id":"b","isDefault":true}]' }],
    ["MODELS", { LLM_PROVIDER: "openai-compatible", OPENAI_API_KEY: "sk-1" }],
    ["DEFAULT_MODEL", { MODELS: '[{"id":"a"}]', DEFAULT_MODEL: "b" }],
    ["OPENAI_API_KEY", { LLM_PROVIDER: "openai-compatible", DEFAULT_MODEL: "gpt" }],
    ["OPENAI_BASE_URL", { ...remote, OPENAI_BASE_URL: "ftp://models.example" }],
    ["OPENAI_BASE_URL", { ...remote, OPENAI_BASE_URL: "models.example/v1" }],
    ["OPENAI_BASE_URL", { ...remote, OPENAI_BASE_URL: "https://user:pass@models.example/v1" }],
    ["OPENAI_BASE_URL", { ...remote, OPENAI_BASE_URL: "https://models.example/v1?key=1" }],
    ["LLM_TIMEOUT_MS", { LLM_TIMEOUT_MS: "0" }],
    ["LLM_TIMEOUT_MS", { LLM_TIMEOUT_MS: "soon" }],
    ["LLM_MAX_RETRIES", { LLM_MAX_RETRIES: "-1" }],
    ["AI", { LLM_PROVIDER: "workers-ai", DEFAULT_MODEL: "@cf/meta/llama" }],
  ])("name %s: %j", (variable, env) => {
    expect(wrongVariables(env)).toEqual([variable]);
  });

  it("are all reported at once and repeat no value", () => {
    const env = { LLM_PROVIDER: "secret-value", LLM_TIMEOUT_MS: "secret-value", OPENAI_BASE_URL: "secret-value" };
    const config = parseModelConfig(env);
    expect(wrongVariables(env)).toEqual(["LLM_PROVIDER", "OPENAI_BASE_URL", "LLM_TIMEOUT_MS"]);
    expect(JSON.stringify(config)).not.toContain("secret-value");
  });

  it("do not occur when the provider has what it needs", () => {
    const local = {
      LLM_PROVIDER: "openai-compatible",
      OPENAI_BASE_URL: "http://127.0.0.1:11434/v1",
      DEFAULT_MODEL: "m",
    };
    expect(parsed(local)).toMatchObject({ baseUrl: "http://127.0.0.1:11434/v1", apiKey: undefined });
    expect(parsed(remote)).toMatchObject({ baseUrl: "https://api.openai.com/v1", apiKey: "sk-1" });
    expect(parsed({ LLM_PROVIDER: "workers-ai", DEFAULT_MODEL: "@cf/m", AI: {} })).toMatchObject({
      provider: "workers-ai",
      rows: [{ family: "workers-ai" }],
    });
    expect(parsed({ LLM_TIMEOUT_MS: "1", LLM_MAX_RETRIES: "0" })).toMatchObject({ timeoutMs: 1, maxRetries: 0 });
  });
});

function provider(env: object) {
  const config = parseModelConfig(env);
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return createModelProvider(config.value, { fetch, timers: manualTimers(), now: Date.now, mintId: () => "call_1" });
}

describe("the local provider", () => {
  it("answers under each configured id, and under the default for any other [OR-48]", async () => {
    const models = provider({ MODELS: '[{"id":"one"},{"id":"two","isDefault":true}]', LLM_MAX_RETRIES: "5" });
    expect(models).toMatchObject({ defaultModelId: "two", maxRetries: 5 });
    expect(models.rows.map(({ id }) => id)).toEqual(["one", "two"]);
    const ids = ["one", "two", "three", undefined].map((id) => models.model(id).modelId);
    expect(ids).toEqual(["one", "two", "two", "two"]);
    expect((await askModel({ model: models.model("one"), messages: "hello" })).text).toBe("You said: hello");
  });

  it("titles by the rule", async () => {
    const title = await provider({}).title("Which  stoves\nare clean?", new AbortController().signal, titleMeter());
    expect(title).toBe("Which stoves are clean?");
  });
});

describe("the Workers AI provider", () => {
  it("cannot be made without its binding", () => {
    expect(() => provider({ LLM_PROVIDER: "workers-ai", DEFAULT_MODEL: "@cf/m", AI: {} })).toThrow(/AI binding/);
  });
});
