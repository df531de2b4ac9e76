/** The encoding of a token: archives, and the token of an existing client. */
import { CAR, CBOR, sha256, type API } from "@ucanto/core";
import fc from "fast-check";
import { CID } from "multiformats/cid";
import { describe, expect, it } from "vitest";
import {
  assemble,
  byteLength,
  FIELD_VECTOR,
  flipByte,
  forge,
  fromBase64,
  issue,
  membersOf,
  mintChain,
  signer,
  swapBlock,
  toBase64,
  tokenOf,
  truncate,
} from "../../test/support/auth/ucan.ts";
import { readToken } from "./ucan-token.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const AUDIENCE = "did:ixo:ixo1oracletest";
const EXPIRATION = 1_900_000_000;

async function issueOf(token: string): Promise<string> {
  const read = await readToken(token);
  return read.ok ? "none" : read.error;
}

const plain = async () => issue({ issuer: await signer(7), audience: AUDIENCE, expiration: EXPIRATION });

describe("the established client's token [OR-10, OR-11, OR-12]", () => {
  it("reads the real vector", async () => {
    const read = await readToken(FIELD_VECTOR.token);
    expect(read).toMatchObject({
      ok: true,
      value: {
        outermost: {
          cid: FIELD_VECTOR.cid,
          issuer: FIELD_VECTOR.issuer,
          audience: FIELD_VECTOR.audience,
          expiration: FIELD_VECTOR.expiration,
          capabilities: [{ can: "*", with: "ixo:oracle" }],
          proofs: [],
        },
      },
    });
  });

  it("equals the output of our test minting", async () => {
    expect(await tokenOf(await plain())).toBe(FIELD_VECTOR.token);
  });

  it("reads optional members, no expiry and proofs", async () => {
    const issuer = await signer(8, "did:ixo:ixo1someone");
    const proof = await issue({ issuer: await signer(7), audience: issuer.did(), expiration: null });
    const facts = [{ nonce: "n" }];
    const ucan = await issue({
      issuer,
      audience: AUDIENCE,
      expiration: null,
      notBefore: 5,
      nonce: "x",
      facts,
      proofs: [proof],
    });
    const read = await readToken(await tokenOf(ucan));
    expect(read).toMatchObject({
      ok: true,
      value: {
        outermost: { issuer: "did:ixo:ixo1someone", expiration: null, notBefore: 5, proofs: [proof.cid.toString()] },
      },
    });
    expect(read.ok && read.value.read(proof.cid.toString())).toMatchObject({
      ok: true,
      value: { audience: issuer.did() },
    });
  });

  it("reads blocks in any order", async () => {
    const ucan = await mintChain(3, AUDIENCE, EXPIRATION);
    const { roots, blocks } = CAR.decode(fromBase64(await tokenOf(ucan)));
    const reversed = new Map([...blocks].toReversed());
    expect(await issueOf(toBase64(CAR.encode({ roots, blocks: reversed })))).toBe("none");
  });

  it("tolerates an uncited block if its digest is right", async () => {
    const note = await CBOR.write({ note: "attached" });
    expect(await issueOf(await assemble((await plain()).root, [note]))).toBe("none");
  });
});

describe("damage [OR-10]", () => {
  it("refuses the vector cut after any byte", async () => {
    const length = byteLength(FIELD_VECTOR.token);
    for (let cut = 0; cut < length; cut += 1) {
      expect(await issueOf(truncate(FIELD_VECTOR.token, cut))).toBe("malformed CAR");
    }
  });

  it("refuses the vector's text cut after any character", async () => {
    for (let cut = 0; cut < FIELD_VECTOR.token.length; cut += 1) {
      expect(await issueOf(FIELD_VECTOR.token.slice(0, cut))).not.toBe("none");
    }
  });

  it("refuses the vector with any byte changed", async () => {
    const index = fc.nat(byteLength(FIELD_VECTOR.token) - 1);
    await fc.assert(
      fc.asyncProperty(index, fc.integer({ min: 1, max: 255 }), async (position, mask) => {
        expect(await issueOf(flipByte(FIELD_VECTOR.token, position, mask))).not.toBe("none");
      }),
      { numRuns },
    );
  });

  it("refuses arbitrary bytes without throwing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        expect(await issueOf(toBase64(bytes))).toBe("malformed CAR");
      }),
      { numRuns },
    );
  });

  it("refuses bytes after the last block", async () => {
    expect(await issueOf(toBase64(Uint8Array.of(...fromBase64(FIELD_VECTOR.token), 0)))).toBe("malformed CAR");
    expect(await issueOf(toBase64(Uint8Array.of(...fromBase64(FIELD_VECTOR.token), 5)))).toBe("malformed CAR");
  });

  it("reports a block that does not match its CID as a signature fault, even if the block is not needed", async () => {
    const chain = await mintChain(2, AUDIENCE, EXPIRATION);
    const [proof] = chain.proofs as API.Delegation[];
    const other = await issue({ issuer: await signer(9), audience: AUDIENCE, expiration: EXPIRATION });
    expect(await issueOf(await swapBlock(chain, proof ?? chain, other))).toBe("signature");
    const ucan = await plain();
    expect(await issueOf(await assemble(ucan.root, [{ cid: other.cid, bytes: ucan.root.bytes }]))).toBe("signature");
  });
});

const ROOT = CID.parse("bafyreien3gddym5t56alwsgpz3atmyk5cpcktmava33kop7lehbequfer4");

/** The vector with another header. */
function withHeader(content: unknown): string {
  const header = CBOR.encode(content);
  const archive = fromBase64(FIELD_VECTOR.token);
  return toBase64(Uint8Array.of(header.length, ...header, ...archive.subarray(1 + (archive[0] ?? 0))));
}

describe("the archive [OR-10]", () => {
  it("requires a header of version 1 with exactly one root", async () => {
    expect(await issueOf(withHeader({ version: 1, roots: [ROOT] }))).toBe("none");
    for (const content of [
      { version: 2, roots: [ROOT] },
      { version: 1, roots: [] },
      { version: 1, roots: [ROOT, ROOT] },
      { version: 1, roots: [ROOT, CID.parse(FIELD_VECTOR.cid)] },
      { version: 1, roots: [ROOT.toString()] },
      { version: 1, roots: ROOT },
      { version: 1 },
      { roots: [ROOT] },
      { version: 1, roots: [ROOT], more: true },
      [1, [ROOT]],
      null,
    ]) {
      expect(await issueOf(withHeader(content))).toBe("malformed CAR");
    }
  });

  it("requires a root that is in the archive and names one UCAN by the version's name", async () => {
    const ucan = await plain();
    const write = async (content: unknown): Promise<string> => {
      const block = await CBOR.write(content);
      return toBase64(CAR.encode({ roots: [block], blocks: new Map([[ucan.cid.toString(), ucan.root]]) }));
    };
    expect(await issueOf(await write({ "ucan@0.9.1": ucan.cid }))).toBe("none");
    expect(await issueOf(await write({ "ucan@0.10.0": ucan.cid }))).toBe("malformed CAR");
    expect(await issueOf(await write({ "ucan@0.9.1": ucan.cid.toString() }))).toBe("malformed CAR");
    expect(await issueOf(await write({ "ucan@0.9.1": ucan.cid, other: 1 }))).toBe("malformed CAR");
    expect(await issueOf(await write({ "ucan@0.9.1": (await CBOR.write("absent")).cid }))).toBe("malformed CAR");
    expect(await issueOf(await write([ucan.cid]))).toBe("malformed CAR");
    expect(await issueOf(withHeader({ version: 1, roots: [(await CBOR.write("absent")).cid] }))).toBe("malformed CAR");
    expect(await issueOf(withHeader({ version: 1, roots: [ucan.cid] }))).toBe("malformed CAR");
  });

  it("accepts only the hash sha2-256 and the UCAN codec dag-cbor", async () => {
    const ucan = await plain();
    const identity = CID.create(1, 0x71, {
      code: 0,
      size: 2,
      digest: Uint8Array.of(0xa0, 0xa0),
      bytes: Uint8Array.of(0, 2, 0xa0, 0xa0),
    });
    expect(await issueOf(await assemble(ucan.root, [{ cid: identity, bytes: Uint8Array.of(0xa0, 0xa0) }]))).toBe(
      "malformed CAR",
    );
    const raw = CID.create(1, 0x55, await sha256.digest(ucan.root.bytes));
    expect(await issueOf(await assemble({ cid: raw, bytes: ucan.root.bytes }, []))).toBe("malformed CAR");
    const { digest } = await sha256.digest(ucan.root.bytes);
    const versionZero = Uint8Array.of(0x12, 0x20, ...digest, ...ucan.root.bytes);
    const section = Uint8Array.of((versionZero.length & 0x7f) | 0x80, versionZero.length >> 7, ...versionZero);
    expect(await issueOf(toBase64(Uint8Array.of(...fromBase64(FIELD_VECTOR.token), ...section)))).toBe("malformed CAR");
  });
});

describe("the UCAN block [OR-10, OR-11, OR-12]", () => {
  it.each<[string, Record<string, unknown>]>([
    ["an unknown member", { extra: 1 }],
    ["an empty list of facts", { fct: [] }],
    ["facts that are null", { fct: null }],
    ["a nonce that is not text", { nnc: 1 }],
    ["a not-before of zero, which no signature covers", { nbf: 0 }],
    ["another version", { v: "0.10.0" }],
    ["a fraction as expiry", { exp: 1.5 }],
    ["an expiry beyond exact integers", { exp: 1e300 }],
    ["an expiry as text", { exp: "1900000000" }],
    ["proofs that are not links", { prf: ["bafy"] }],
    ["no list of capabilities", { att: {} }],
    ["a capability without resource", { att: [{ can: "*" }] }],
    ["a capability with upper-case letters", { att: [{ can: "Oracle/Use", with: "ixo:oracle" }] }],
    ["a capability whose caveats are a list", { att: [{ can: "*", with: "ixo:oracle", nb: [1] }] }],
    ["a resource that is not a URI", { att: [{ can: "*", with: "oracle" }] }],
    ["an issuer that is text", { iss: "did:key:z6Mk" }],
    ["an issuer of an unknown kind", { iss: Uint8Array.of(0x01, 0x02) }],
    [
      "a did:key spelled as text",
      { iss: Uint8Array.of(0x9d, 0x1a, ...new TextEncoder().encode(FIELD_VECTOR.issuer.slice(4))) },
    ],
    ["an audience that is not UTF-8", { aud: Uint8Array.of(0x9d, 0x1a, 0x69, 0x3a, 0xff) }],
    ["an audience with a blank in it", { aud: Uint8Array.of(0x9d, 0x1a, ...new TextEncoder().encode("ixo:a b")) }],
    ["an audience without a name", { aud: Uint8Array.of(0x9d, 0x1a, ...new TextEncoder().encode("ixo:")) }],
    [
      "a DID of 257 characters",
      { aud: Uint8Array.of(0x9d, 0x1a, ...new TextEncoder().encode(`ixo:${"a".repeat(249)}`)) },
    ],
    ["a signature that is text", { s: "sig" }],
  ])("refuses %s", async (_, members) => {
    expect(await issueOf(await forge(await plain(), members))).toBe("malformed CAR");
  });

  it("accepts a DID of 256 characters", async () => {
    const audience = `did:ixo:${"a".repeat(248)}`;
    expect(await issueOf(await tokenOf(await issue({ issuer: await signer(7), audience, expiration: 1 })))).toBe(
      "none",
    );
  });

  it("must have proofs even if the list is empty", async () => {
    const { prf: _, ...content } = membersOf(await plain());
    expect(await issueOf(await assemble(await CBOR.write(content), []))).toBe("malformed CAR");
  });

  it("is not a JWT", async () => {
    const bytes = new TextEncoder().encode("e30.e30.e30");
    const block = { cid: CID.create(1, 0x71, await sha256.digest(bytes)), bytes };
    expect(await issueOf(await assemble(block as API.Block, []))).toBe("malformed CAR");
  });
});
