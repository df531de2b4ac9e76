import { describe, expect, test } from "vitest";
import { audiencesOf, createRuntime } from "./runtime.ts";

const SEED = "07".repeat(32);
/** The key of 32 bytes 0x07. */
const KEY_DID = "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z";

async function identity(env: object) {
  const platform = { fetch: () => Promise.reject(new Error("offline")), clock: () => 0 };
  const runtime = await createRuntime({ env: env as unknown as Env, name: "Oracle", ...platform });
  if (!runtime.ok) throw new Error(runtime.error.message);
  return runtime.value.identity;
}

describe("the oracle's identity", () => {
  test("is the did:key of the signing key unless ORACLE_DID is set [OR-8, OR-17]", async () => {
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

  test("requires no key if it has a DID", async () => {
    expect(await identity({ ORACLE_DID: "did:ixo:ixo1oracle" })).toEqual({
      did: "did:ixo:ixo1oracle",
      entityDid: "did:ixo:ixo1oracle",
      signer: undefined,
    });
  });
});
