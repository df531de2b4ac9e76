/** Secrets of the configuration: contract/registry.md section 9, decisions 1.11 and 5.2. */
import { expect, test } from "vitest";
import { scopes } from "../scopes.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { DEVELOPMENT_DID, knownSecrets } from "./known-secrets.ts";

const settings = {
  ENVIRONMENT: "production",
  ADMIN_TOKEN: "t".repeat(32),
  DEV_API_KEY: "development-key-0001",
  REGISTRY_BOOTSTRAP_KEYS: [
    { key: "bootstrap-key-one", did: "did:web:one.test", role: null, scopes: ["domains:read" as const] },
    { key: "bootstrap-key-two", did: "did:web:two.test", role: "program" as const, scopes: [] },
  ],
};

test("the operator's token is known by its digest, and nothing else is it", async () => {
  const { isAdminToken } = await knownSecrets(settings);
  expect(isAdminToken(await sha256Hex("t".repeat(32)))).toBe(true);
  expect(isAdminToken(await sha256Hex("t".repeat(33)))).toBe(false);
  expect(isAdminToken("")).toBe(false);
  const unset = await knownSecrets({ ...settings, ADMIN_TOKEN: undefined });
  expect(unset.isAdminToken(await sha256Hex("undefined"))).toBe(false);
});

test("bootstrap keys speak for their DIDs; the key itself is not handed on", async () => {
  const { bootstrapCaller } = await knownSecrets(settings);
  expect(bootstrapCaller(await sha256Hex("bootstrap-key-two"))).toEqual({
    keyId: "bootstrap-2",
    did: "did:web:two.test",
    role: "program",
    scopes: [],
  });
  expect(bootstrapCaller(await sha256Hex("bootstrap-key-three"))).toBeUndefined();
});

test("the development key works in development and nowhere else", async () => {
  const digest = await sha256Hex(settings.DEV_API_KEY);
  for (const ENVIRONMENT of ["production", "staging", "test"]) {
    expect((await knownSecrets({ ...settings, ENVIRONMENT })).bootstrapCaller(digest)).toBeUndefined();
  }
  const { bootstrapCaller } = await knownSecrets({ ...settings, ENVIRONMENT: "development" });
  expect(bootstrapCaller(digest)).toMatchObject({ did: DEVELOPMENT_DID, role: "compliance", scopes: [...scopes] });
});
