import { describe, expect, test } from "vitest";
import { DEVELOPMENT_SIGNING_SEED, parseOracleConfig, warningsOf } from "./config.ts";

const SEED = "07".repeat(32);

function problems(env: object): Record<string, string> {
  const parsed = parseOracleConfig(env);
  return parsed.ok ? {} : Object.fromEntries(parsed.error.map(({ variable, message }) => [variable, message]));
}

describe("the oracle's configuration", () => {
  test("a key is enough; all other settings have defaults", () => {
    expect(parseOracleConfig({ ORACLE_SIGNING_SEED: SEED })).toMatchObject({
      ok: true,
      value: {
        ENVIRONMENT: "production",
        UCAN_ALLOW_BARE_DELEGATION_AUTH: true,
        UCAN_AUTH_MAX_TTL_SECONDS: 86_400,
        ORACLE_RATE_LIMIT_PER_MINUTE: 120,
        UCAN_REAUTH_PROMPT_THROTTLE_SECONDS: 0,
        STATIC_DID_KEYS: {},
        models: { defaultModelId: "local" },
      },
    });
  });

  test("without a DID and a key the error says what to set", () => {
    expect(problems({})).toEqual({ ORACLE_SIGNING_SEED: expect.stringContaining("ORACLE_MNEMONIC") });
  });

  test("in development a well-known key replaces a missing one; elsewhere it is refused [OR-199]", () => {
    const development = { ENVIRONMENT: "development" };
    const used = (env: object) => {
      const parsed = parseOracleConfig(env);
      return parsed.ok ? [parsed.value.usesDevelopmentKey, parsed.value.ORACLE_SIGNING_SEED] : [];
    };
    expect(used(development)).toEqual([true, DEVELOPMENT_SIGNING_SEED]);
    expect(used({ ...development, ORACLE_SIGNING_SEED: SEED })).toEqual([false, SEED]);
    expect(used({ ...development, ORACLE_DID: "did:ixo:ixo1abc" })).toEqual([false, undefined]);
    for (const seed of [DEVELOPMENT_SIGNING_SEED, DEVELOPMENT_SIGNING_SEED.toUpperCase()]) {
      expect(problems({ ENVIRONMENT: "staging", ORACLE_SIGNING_SEED: seed })).toEqual({
        ORACLE_SIGNING_SEED: "is the public development key; set your own",
      });
    }
  });

  test("ORACLE_MAX_STEPS is 16 by default, and 1 to 64 [OR-511]", () => {
    const steps = (text?: string) => {
      const parsed = parseOracleConfig({ ORACLE_SIGNING_SEED: SEED, ORACLE_MAX_STEPS: text });
      return parsed.ok ? parsed.value.ORACLE_MAX_STEPS : parsed.error;
    };
    expect([steps(), steps("1"), steps("64")]).toEqual([16, 1, 64]);
    expect(steps("0")).toEqual([{ variable: "ORACLE_MAX_STEPS", message: "must be at least 1, such as 16" }]);
    expect(steps("65")).toEqual([{ variable: "ORACLE_MAX_STEPS", message: "must be at most 64, such as 16" }]);
  });

  test("every invalid variable is named, including those of the models, and no value is shown", () => {
    const wrong = problems({
      ORACLE_DID: "ixo1secret",
      ORACLE_SIGNING_SEED: "secret",
      UCAN_AUTH_MAX_TTL_SECONDS: "0",
      STATIC_DID_KEYS: '{"did:ixo:a":["did:web:secret"]}',
      BLOCKSYNC_GRAPHQL_URL: "ftp://secret",
      PUBLIC_URL: "secret",
      ORACLE_RATE_LIMIT_PER_MINUTE: "many",
      LLM_PROVIDER: "secret",
    });
    expect(Object.keys(wrong).toSorted()).toEqual([
      "BLOCKSYNC_GRAPHQL_URL",
      "LLM_PROVIDER",
      "ORACLE_DID",
      "ORACLE_RATE_LIMIT_PER_MINUTE",
      "ORACLE_SIGNING_SEED",
      "PUBLIC_URL",
      "STATIC_DID_KEYS",
      "UCAN_AUTH_MAX_TTL_SECONDS",
    ]);
    expect(JSON.stringify(wrong)).not.toContain("secret");
  });
});

test.each<[string, object, boolean]>([
  ["the built-in model", {}, false],
  ["a service with a key", { LLM_PROVIDER: "openai-compatible", OPENAI_API_KEY: "sk", DEFAULT_MODEL: "m" }, true],
  [
    "a service without a key",
    { LLM_PROVIDER: "openai-compatible", OPENAI_BASE_URL: "http://h/v1", DEFAULT_MODEL: "m" },
    false,
  ],
  [
    "a service without a key but with a price",
    {
      LLM_PROVIDER: "openai-compatible",
      OPENAI_BASE_URL: "http://h/v1",
      MODELS: '[{"id":"m","pricing":{"outputPerMillion":1}}]',
    },
    true,
  ],
  ["Workers AI", { LLM_PROVIDER: "workers-ai", AI: {}, DEFAULT_MODEL: "m" }, true],
])("%s without a limit for all users together: %o warns, %s [OR-462]", (_, env, warns) => {
  const isNamed = (more: object) => {
    const parsed = parseOracleConfig({ ORACLE_SIGNING_SEED: SEED, ...env, ...more });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    return warningsOf(parsed.value).some((warning) => warning.includes("ORACLE_TOTAL_TOKENS_PER_DAY"));
  };
  expect([isNamed({}), isNamed({ ORACLE_TOTAL_TOKENS_PER_DAY: "1" })]).toEqual([warns, false]);
});
