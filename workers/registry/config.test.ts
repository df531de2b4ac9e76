/** The registry's settings. */
import { describe, expect, test } from "vitest";
import { parseRegistryConfig } from "./config.ts";

function configOf(env: object) {
  const parsed = parseRegistryConfig(env);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

function wrongIn(env: object): readonly string[] {
  const parsed = parseRegistryConfig(env);
  return parsed.ok ? [] : parsed.error.map(({ variable }) => variable);
}

test("uses the documented defaults when nothing is set", () => {
  expect([configOf({}).ADMIN_TOKEN, configOf({}).REGISTRY_RELAYER_NODE]).toEqual([undefined, undefined]);
  expect(configOf({})).toMatchObject({
    ENVIRONMENT: "production",
    REGISTRY_BOOTSTRAP_KEYS: [],
    REGISTRY_KEY_ENVIRONMENT: "live",
    REGISTRY_PUBLIC_READS: ["graphql", "did", "card"],
    REGISTRY_CORS_ORIGINS: [],
    REGISTRY_MATERIAL_FIELDS: [],
    REGISTRY_READS_PER_MINUTE: 600,
    REGISTRY_WRITES_PER_MINUTE: 120,
    REGISTRY_PUBLIC_READS_PER_MINUTE: 100,
    REGISTRY_FAILED_ATTEMPTS_PER_MINUTE: 100,
    REGISTRY_QUORUM_BP: 3340,
    REGISTRY_THRESHOLD_BP: 5000,
    REGISTRY_VETO_BP: 3340,
    REGISTRY_VOTING_PERIOD_S: 259_200,
    REGISTRY_ALLOW_REVOTE: false,
    REGISTRY_EXCLUDED_VOTERS: "none",
    REGISTRY_GRAPHQL_DEFAULT_PAGE: 10,
    REGISTRY_GRAPHQL_MAX_PAGE: 100,
    REGISTRY_GRAPHQL_INTROSPECTION: true,
  });
});

describe("accepts governance rules at their limits, and stops the surface one step beyond", () => {
  test.each([
    ["REGISTRY_QUORUM_BP", 0, 10_000],
    ["REGISTRY_THRESHOLD_BP", 1, 10_000],
    ["REGISTRY_VETO_BP", 1, 10_000],
    ["REGISTRY_VOTING_PERIOD_S", 60, 2_592_000],
  ] as const)("%s from %d to %d", (name, least, greatest) => {
    for (const value of [least, greatest]) expect(configOf({ [name]: String(value) })[name]).toBe(value);
    for (const value of [least - 1, greatest + 1, 0.5, "1e3x", "ten"]) {
      expect([value, wrongIn({ [name]: String(value) })]).toEqual([value, [name]]);
    }
  });

  test("REGISTRY_EXCLUDED_VOTERS and REGISTRY_ALLOW_REVOTE accept only their documented values", () => {
    for (const choice of ["none", "proposer", "controllers", "both"] as const) {
      expect(configOf({ REGISTRY_EXCLUDED_VOTERS: choice }).REGISTRY_EXCLUDED_VOTERS).toBe(choice);
    }
    expect(wrongIn({ REGISTRY_EXCLUDED_VOTERS: "all", REGISTRY_ALLOW_REVOTE: "yes" }).toSorted()).toEqual([
      "REGISTRY_ALLOW_REVOTE",
      "REGISTRY_EXCLUDED_VOTERS",
    ]);
  });
});

test("the key environment follows ENVIRONMENT unless it is set", () => {
  const environmentOf = (env: object) => configOf(env).REGISTRY_KEY_ENVIRONMENT;
  expect(environmentOf({ ENVIRONMENT: "development" })).toBe("test");
  expect(environmentOf({ ENVIRONMENT: "staging", REGISTRY_KEY_ENVIRONMENT: "live" })).toBe("live");
  expect(environmentOf({ REGISTRY_KEY_ENVIRONMENT: "" })).toBe("live");
  expect(wrongIn({ REGISTRY_KEY_ENVIRONMENT: "production" })).toEqual(["REGISTRY_KEY_ENVIRONMENT"]);
});

test("REGISTRY_PUBLIC_READS accepts a list or nothing, and rejects other values", () => {
  expect(configOf({ REGISTRY_PUBLIC_READS: "did, graphql" }).REGISTRY_PUBLIC_READS).toEqual(["did", "graphql"]);
  expect(configOf({ REGISTRY_PUBLIC_READS: "none" }).REGISTRY_PUBLIC_READS).toEqual([]);
  expect(wrongIn({ REGISTRY_PUBLIC_READS: "did,rest" })).toEqual(["REGISTRY_PUBLIC_READS"]);
});

test("ADMIN_TOKEN has at least 32 characters", () => {
  expect(wrongIn({ ADMIN_TOKEN: "x".repeat(31) })).toEqual(["ADMIN_TOKEN"]);
  expect(configOf({ ADMIN_TOKEN: "x".repeat(32) }).ADMIN_TOKEN).toBe("x".repeat(32));
  expect(configOf({ ADMIN_TOKEN: "" }).ADMIN_TOKEN).toBeUndefined();
});

describe("REGISTRY_BOOTSTRAP_KEYS", () => {
  const withKeys = (keys: unknown) => ({ REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys) });
  const good = { key: "x".repeat(16), did: "did:web:example.org", scopes: ["domains:read"] };

  test("a key is any text of 16 characters or more, with DID and scopes; the role is optional", () => {
    expect(configOf(withKeys([good, { ...good, role: "program" }])).REGISTRY_BOOTSTRAP_KEYS).toEqual([
      { ...good, role: null },
      { ...good, role: "program" },
    ]);
  });

  test.each([
    [{ ...good, key: "x".repeat(15) }],
    [{ ...good, did: "alice" }],
    [{ ...good, scopes: ["all"] }],
    [{ ...good, role: "king" }],
    [{ ...good, expires: "never" }],
    [{ key: good.key }],
  ])("refuses %j with a message that does not contain the key", (key) => {
    const parsed = parseRegistryConfig(withKeys([key]));
    expect(wrongIn(withKeys([key]))[0]).toBe("REGISTRY_BOOTSTRAP_KEYS");
    expect(JSON.stringify(parsed)).not.toContain("xxx");
  });

  test("refuses invalid JSON, and JSON that is not a list", () => {
    expect(wrongIn({ REGISTRY_BOOTSTRAP_KEYS: "{" })).toEqual(["REGISTRY_BOOTSTRAP_KEYS"]);
    expect(wrongIn(withKeys(good))).toEqual(["REGISTRY_BOOTSTRAP_KEYS"]);
  });
});
