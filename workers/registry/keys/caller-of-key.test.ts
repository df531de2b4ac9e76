/** The form of keys and the secrets of the configuration. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../platform/digest.ts";
import { scopes } from "../caller.ts";
import { DEVELOPMENT_DID, environmentOf, KEY_BYTES, keyText, knownSecrets, START_LENGTH } from "./caller-of-key.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ascending = Uint8Array.from({ length: KEY_BYTES }, (_, at) => at);

describe("vectors [RG-6]", () => {
  test.each([
    ["test", new Uint8Array(KEY_BYTES), "twe_test_00000000000000000000000000000000000000000003mGoWr"],
    ["live", ascending, "twe_live_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf4a1gvl"],
    ["live", new Uint8Array(KEY_BYTES).fill(0xff), "twe_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12HVfJN"],
  ] as const)("a %s key", (environment, bytes, text) => {
    expect(keyText(environment, bytes)).toBe(text);
    expect(environmentOf(text)).toBe(environment);
  });
});

const anyKey = fc
  .tuple(
    fc.constantFrom("live" as const, "test" as const),
    fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES }),
  )
  .map(([environment, bytes]) => ({ environment, text: keyText(environment, bytes) }));

test("every key has 58 characters and contains its environment [RG-6]", () => {
  fc.assert(
    fc.property(anyKey, ({ environment, text }) => {
      expect(text).toMatch(/^twe_(live|test)_[0-9A-Za-z]{49}$/);
      expect(text).toHaveLength(58);
      expect(environmentOf(text)).toBe(environment);
    }),
    { numRuns },
  );
});

test("detects one wrong character at any position", () => {
  fc.assert(
    fc.property(
      anyKey,
      fc.nat(57),
      fc.constantFrom("0", "9", "A", "Z", "a", "z", "_", "-", "é"),
      ({ text }, at, wrong) => {
        fc.pre(text.charAt(at) !== wrong);
        expect(environmentOf(text.slice(0, at) + wrong + text.slice(at + 1))).toBeUndefined();
      },
    ),
    { numRuns },
  );
});

test.each(["", "twe_live_", `${keyText("live", ascending)}0`, ` ${keyText("live", ascending)}`, "Bearer x"])(
  "%j is no key",
  (text) => {
    expect(environmentOf(text)).toBeUndefined();
  },
);

test("the displayed part of a key shows its environment and four characters", () => {
  expect(keyText("live", ascending).slice(0, START_LENGTH)).toBe("twe_live_003a");
});

const settings = {
  ENVIRONMENT: "production",
  ADMIN_TOKEN: "t".repeat(32),
  DEV_API_KEY: "development-key-0001",
  REGISTRY_BOOTSTRAP_KEYS: [
    { key: "bootstrap-key-one", did: "did:web:one.test", role: null, scopes: ["domains:read" as const] },
    { key: "bootstrap-key-two", did: "did:web:two.test", role: "program" as const, scopes: [] },
  ],
};

test("the operator's token is recognised by its digest, and only that token", async () => {
  const { isAdminToken } = await knownSecrets(settings);
  expect(isAdminToken(await sha256Hex("t".repeat(32)))).toBe(true);
  expect(isAdminToken(await sha256Hex("t".repeat(33)))).toBe(false);
  expect(isAdminToken("")).toBe(false);
  const unset = await knownSecrets({ ...settings, ADMIN_TOKEN: undefined });
  expect(unset.isAdminToken(await sha256Hex("undefined"))).toBe(false);
});

test("bootstrap keys represent their DIDs; the key itself is not passed on [RG-16]", async () => {
  const { bootstrapCaller } = await knownSecrets(settings);
  expect(bootstrapCaller(await sha256Hex("bootstrap-key-two"))).toEqual({
    keyId: "bootstrap-2",
    did: "did:web:two.test",
    role: "program",
    scopes: [],
  });
  expect(bootstrapCaller(await sha256Hex("bootstrap-key-three"))).toBeUndefined();
});

test("the development key works only in development", async () => {
  const digest = await sha256Hex(settings.DEV_API_KEY);
  for (const ENVIRONMENT of ["production", "staging", "test"]) {
    expect((await knownSecrets({ ...settings, ENVIRONMENT })).bootstrapCaller(digest)).toBeUndefined();
  }
  const { bootstrapCaller } = await knownSecrets({ ...settings, ENVIRONMENT: "development" });
  expect(bootstrapCaller(digest)).toMatchObject({ did: DEVELOPMENT_DID, role: "compliance", scopes: [...scopes] });
});
