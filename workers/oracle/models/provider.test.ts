/** What holds for every provider behind the port; what is special to one is tested beside it. */
import { describe, expect, it } from "vitest";
import { manualTimers } from "../../../test/support/manual-timers.ts";
import { askModel } from "../../../test/support/model-answer.ts";
import { parseModelConfig } from "./config.ts";
import { createModelProvider } from "./provider.ts";

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
    const title = await provider({}).title("Which  stoves\nare clean?", new AbortController().signal);
    expect(title).toBe("Which stoves are clean?");
  });
});

describe("the Workers AI provider", () => {
  it("cannot be made without its binding", () => {
    expect(() => provider({ LLM_PROVIDER: "workers-ai", DEFAULT_MODEL: "@cf/m", AI: {} })).toThrow(/AI binding/);
  });
});
