/** The oracle's own key. */
import { describe, expect, it } from "vitest";
import { FIELD_VECTOR } from "../../test/support/auth/ucan.ts";
import { createOracleSigner, oracleSeed, signingSeedSchema } from "./oracle-signer.ts";

const SEED = new Uint8Array(32).fill(7);

describe("the seed [OR-8]", () => {
  it("is read from hexadecimal digits, in preference to the mnemonic", async () => {
    expect(await oracleSeed("07".repeat(32), "ignored")).toEqual(SEED);
    expect(await oracleSeed("Ab".repeat(32))).toEqual(new Uint8Array(32).fill(0xab));
  });

  it("is SHA-256 of the trimmed mnemonic otherwise", async () => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("zoo wrong")));
    expect(await oracleSeed(undefined, " zoo wrong\n")).toEqual(digest);
  });

  it("is optional", async () => {
    expect(await oracleSeed()).toBeUndefined();
    expect(await oracleSeed(undefined, "  ")).toBeUndefined();
  });

  it.each(["07", "07".repeat(32) + "0", "0x" + "07".repeat(31), "g".repeat(64), ""])("is not %j", (seed) => {
    expect(signingSeedSchema.safeParse(seed).success).toBe(false);
  });
});

describe("the signer [OR-8]", () => {
  it("uses its did:key by default", async () => {
    expect(await createOracleSigner(SEED)).toMatchObject({
      did: FIELD_VECTOR.issuer,
      keyDid: FIELD_VECTOR.issuer,
      publicKeyMultibase: FIELD_VECTOR.issuer.slice("did:key:".length),
    });
  });

  it("can sign for another DID", async () => {
    const signer = await createOracleSigner(SEED, "did:ixo:ixo1oracletest");
    expect(signer.did).toBe("did:ixo:ixo1oracletest");
    expect(signer.keyDid).toBe(FIELD_VECTOR.issuer);
    expect(signer.issueAs("did:ixo:entity:0f").did()).toBe("did:ixo:entity:0f");
    expect(signer.issueAs(FIELD_VECTOR.issuer).did()).toBe(FIELD_VECTOR.issuer);
  });
});
