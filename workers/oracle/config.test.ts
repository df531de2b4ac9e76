import { describe, expect, test } from "vitest";
import { parseOracleConfig } from "./config.ts";
import { audiencesOf, identityOf } from "./identity.ts";

const SEED = "07".repeat(32);
/** contract/oracle.md section 13: the key of 32 bytes 0x07. */
const KEY_DID = "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z";

function problems(env: object): Record<string, string> {
  const parsed = parseOracleConfig(env);
  return parsed.ok ? {} : Object.fromEntries(parsed.error.map(({ variable, message }) => [variable, message]));
}

async function identity(env: object) {
  const parsed = parseOracleConfig(env);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return identityOf(parsed.value);
}

describe("the oracle's configuration", () => {
  test("a key is enough; the rest has defaults", () => {
    expect(parseOracleConfig({ ORACLE_SIGNING_SEED: SEED })).toMatchObject({
      ok: true,
      value: {
        ENVIRONMENT: "production",
        UCAN_AUTH_MAX_TTL_SECONDS: 86_400,
        ORACLE_RATE_LIMIT_PER_MINUTE: 120,
        UCAN_REAUTH_PROMPT_THROTTLE_SECONDS: 0,
        STATIC_DID_KEYS: {},
        models: { defaultModelId: "local" },
      },
    });
  });

  test("without a DID and a key it says what to set", () => {
    expect(problems({})).toEqual({ ORACLE_SIGNING_SEED: expect.stringContaining("ORACLE_MNEMONIC") });
  });

  test("every wrong variable is named, those of the models too, and no value is told", () => {
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

describe("the oracle's identity", () => {
  test("is the did:key of the signing key unless ORACLE_DID says otherwise", async () => {
    const own = await identity({ ORACLE_SIGNING_SEED: SEED });
    expect([own.did, own.entityDid, audiencesOf(own)]).toEqual([KEY_DID, KEY_DID, [KEY_DID]]);
    const named = await identity({
      ORACLE_SIGNING_SEED: SEED,
      ORACLE_DID: "did:ixo:ixo1oracle",
      ORACLE_ENTITY_DID: "did:ixo:entity:0a",
    });
    expect(audiencesOf(named)).toEqual(["did:ixo:ixo1oracle", "did:ixo:entity:0a"]);
    expect(named.signer?.keyDid).toBe(KEY_DID);
  });

  test("needs no key when it has a DID", async () => {
    expect(await identity({ ORACLE_DID: "did:ixo:ixo1oracle" })).toEqual({
      did: "did:ixo:ixo1oracle",
      entityDid: "did:ixo:ixo1oracle",
      signer: undefined,
    });
  });
});
