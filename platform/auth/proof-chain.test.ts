/** Proof chains. */
import { CBOR, type API } from "@ucanto/core";
import fc from "fast-check";
import { expect, describe, it } from "vitest";
import {
  assemble,
  byteLength,
  flipByte,
  truncate,
  forge,
  issue,
  mintChain,
  signer,
  swapBlock,
  tokenOf,
  type UcanContent,
} from "../../test/support/auth/ucan.ts";
import { createDidResolver } from "./did-resolver.ts";
import { manualTimers } from "../../test/support/clocks/manual-timers.ts";
import {
  LOOKUPS_TIMEOUT,
  MAX_CHAIN_DEPTH,
  MAX_CHAIN_MEMBERS,
  MAX_LOOKED_UP_ISSUERS,
  verifyChain,
} from "./proof-chain.ts";
import { readToken } from "./ucan-token.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const AUDIENCE = "did:ixo:ixo1oracletest";
const LATER = 1_900_000_000;
const noNetwork = () => Promise.reject(new Error("no network in this test"));
const resolveKeys = createDidResolver({ fetch: noNetwork, clock: () => 0 });

async function outcomeOf(token: string, keys = resolveKeys) {
  const read = await readToken(token);
  const chain = read.ok ? await verifyChain(read.value, keys) : read;
  return chain.ok ? { expiration: chain.value.expiration, notBefore: chain.value.notBefore } : chain.error;
}

/** A service, key 2, that delegates users' rights to the oracle. */
async function passOn(
  capabilities: UcanContent["capabilities"],
  granted: NonNullable<UcanContent["capabilities"]>[],
  more: Partial<UcanContent> = {},
): Promise<string> {
  const service = await signer(2);
  const proofs = await Promise.all(
    granted.map(async (grant, index) =>
      issue({ issuer: await signer(10 + index), audience: service.did(), expiration: LATER, capabilities: grant }),
    ),
  );
  return tokenOf(
    await issue({
      issuer: service,
      audience: AUDIENCE,
      expiration: LATER,
      capabilities: capabilities ?? [],
      proofs,
      ...more,
    }),
  );
}

const valid = { expiration: LATER, notBefore: null };

describe("depth [OR-13]", () => {
  it("accepts a chain of eight and refuses one of nine", async () => {
    expect(MAX_CHAIN_DEPTH).toBe(8);
    expect(await outcomeOf(await tokenOf(await mintChain(8, AUDIENCE, LATER)))).toEqual(valid);
    expect(await outcomeOf(await tokenOf(await mintChain(9, AUDIENCE, LATER)))).toBe("proof chain");
  });

  it("counts the longest path, not the number of UCANs", async () => {
    const granted = Array.from({ length: 12 }, () => [{ can: "*", with: "ixo:oracle" }]);
    expect(await outcomeOf(await passOn([{ can: "*", with: "ixo:oracle" }], granted))).toEqual(valid);
  });
});

describe("members", () => {
  it("accepts 32 UCANs and refuses 33 before it checks any signature", async () => {
    const all = [{ can: "*", with: "ixo:oracle" }];
    const proofs = (count: number) =>
      passOn(
        all,
        Array.from({ length: count }, () => all),
      );
    expect(MAX_CHAIN_MEMBERS).toBe(32);
    expect(await outcomeOf(await proofs(31))).toEqual(valid);
    const unasked = () => Promise.reject(new Error("a key was looked up"));
    expect(await outcomeOf(await proofs(32), unasked)).toBe("proof chain");
  });
});

describe("signatures [OR-12]", () => {
  it("refuses content that was changed after signing, in the outermost UCAN and in a proof", async () => {
    const chain = await mintChain(3, AUDIENCE, LATER);
    expect(await outcomeOf(await forge(chain, { exp: LATER + 1 }))).toBe("signature");
    const widened = [
      { can: "*", with: "ixo:oracle" },
      { can: "*", with: "ixo:bank" },
    ];
    expect(await outcomeOf(await forge(chain, { att: widened }))).toBe("signature");
  });

  it("refuses a proof that another key signed in the issuer's name", async () => {
    const service = await signer(2);
    const user = await signer(1);
    const impostor = (await signer(66)).withDID(user.did());
    const proof = await issue({ issuer: impostor, audience: service.did(), expiration: LATER });
    expect(
      await outcomeOf(
        await tokenOf(await issue({ issuer: service, audience: AUDIENCE, expiration: LATER, proofs: [proof] })),
      ),
    ).toBe("signature");
  });

  it("refuses another algorithm, a short signature and a long one", async () => {
    const ucan = await issue({ issuer: await signer(1), audience: AUDIENCE, expiration: LATER });
    const raw = ucan.signature.raw;
    for (const s of [
      Uint8Array.of(0x85, 0xa4, 0xc0, 0x06, 0x40, ...raw), // RS256
      Uint8Array.of(0xed, 0xa1, 0x03, 0x3f, ...raw.subarray(1)),
      Uint8Array.of(0xed, 0xa1, 0x03, 0x40, ...raw, 0),
      Uint8Array.of(0xed, 0xa1, 0x03, 0x40, ...new Uint8Array(64)),
    ]) {
      expect(await outcomeOf(await forge(ucan, { s }))).toBe("signature");
    }
  });

  it("refuses an issuer without keys and reports an outage separately", async () => {
    const token = await tokenOf(
      await issue({ issuer: await signer(1, "did:ixo:ixo1user"), audience: AUDIENCE, expiration: LATER }),
    );
    expect(await outcomeOf(token)).toBe("signature");
    expect(await outcomeOf(token, () => Promise.resolve({ ok: false, error: "unresolvable" }))).toBe("unresolvable");
  });

  it("accepts any one of the issuer's keys", async () => {
    const token = await tokenOf(
      await issue({ issuer: await signer(1, "did:ixo:ixo1user"), audience: AUDIENCE, expiration: LATER }),
    );
    const keys = [(await signer(3)).did(), (await signer(1)).did()];
    const known = createDidResolver({ staticKeys: { "did:ixo:ixo1user": keys }, fetch: noNetwork, clock: () => 0 });
    expect(await outcomeOf(token, known)).toEqual(valid);
  });

  it("looks up the keys of at most 8 issuers [OR-543]", async () => {
    const known = createDidResolver({
      staticKeys: Object.fromEntries(
        await Promise.all(
          Array.from({ length: 9 }, async (_, at) => [`did:ixo:ixo1u${at}`, [(await signer(20 + at)).did()]] as const),
        ),
      ),
      fetch: noNetwork,
      clock: () => 0,
    });
    const provenBy = async (count: number) => {
      const service = await signer(2);
      const proofs = await Promise.all(
        Array.from({ length: count }, async (_, at) =>
          issue({ issuer: await signer(20 + at, `did:ixo:ixo1u${at}`), audience: service.did(), expiration: LATER }),
        ),
      );
      return outcomeOf(
        await tokenOf(await issue({ issuer: service, audience: AUDIENCE, expiration: LATER, proofs })),
        known,
      );
    };
    expect(MAX_LOOKED_UP_ISSUERS).toBe(8);
    expect([await provenBy(8), await provenBy(9)]).toEqual([valid, "proof chain"]);
  });

  it("waits 5 seconds for all lookups together, and reports that they failed [OR-543]", async () => {
    const timers = manualTimers();
    const [first, second] = [await signer(20, "did:ixo:ixo1a"), await signer(21, "did:ixo:ixo1b")];
    const proof = await issue({ issuer: first, audience: second.did(), expiration: LATER });
    const token = await readToken(
      await tokenOf(await issue({ issuer: second, audience: AUDIENCE, expiration: LATER, proofs: [proof] })),
    );
    if (!token.ok) throw new Error("the token of the test is invalid");
    const key = createDidResolver({
      staticKeys: { "did:ixo:ixo1b": [(await signer(21)).did()] },
      fetch: noNetwork,
      clock: () => 0,
    });
    const slow = (did: string) => (did === second.did() ? key(did) : new Promise<never>(() => undefined));
    const outcome = verifyChain(token.value, slow, timers.after);
    expect(await timers.ring()).toBe(LOOKUPS_TIMEOUT);
    expect(await outcome).toEqual({ ok: false, error: "unresolvable" });
    expect([LOOKUPS_TIMEOUT, timers.pending]).toEqual([5_000, 0]);
  });

  it("looks up no DID on behalf of a UCAN that did not verify", async () => {
    const stranger = await signer(5, "did:ixo:ixo1stranger");
    const service = await signer(2);
    const proof = await issue({ issuer: stranger, audience: service.did(), expiration: LATER });
    const ucan = await issue({ issuer: service, audience: AUDIENCE, expiration: LATER, proofs: [proof] });
    const asked: string[] = [];
    const outcome = await outcomeOf(await forge(ucan, { exp: LATER - 1 }), (did) => {
      asked.push(did);
      return resolveKeys(did);
    });
    expect(outcome).toBe("signature");
    expect(asked).toEqual([service.did()]);
  });
});

describe("links [OR-13]", () => {
  it("are broken by changing or cutting off any byte of a chain", async () => {
    const token = await tokenOf(await mintChain(3, AUDIENCE, LATER));
    const index = fc.nat(byteLength(token) - 1);
    await fc.assert(
      fc.asyncProperty(index, fc.integer({ min: 1, max: 255 }), async (position, mask) => {
        expect(await outcomeOf(flipByte(token, position, mask))).toBeTypeOf("string");
        expect(await outcomeOf(truncate(token, position))).toBe("malformed CAR");
      }),
      { numRuns },
    );
  });

  it("refuses a proof that is missing, swapped or addressed to another DID", async () => {
    const chain = await mintChain(2, AUDIENCE, LATER);
    const [proof = chain] = chain.proofs as API.Delegation[];
    expect(await outcomeOf(await assemble(chain.root, []))).toBe("proof chain");
    const other = await issue({ issuer: await signer(1), audience: (await signer(2)).did(), expiration: LATER + 5 });
    expect(await outcomeOf(await swapBlock(chain, proof, other))).toBe("signature");
    const astray = await issue({ issuer: await signer(1), audience: (await signer(3)).did(), expiration: LATER });
    expect(
      await outcomeOf(
        await tokenOf(
          await issue({ issuer: await signer(2), audience: AUDIENCE, expiration: LATER, proofs: [astray] }),
        ),
      ),
    ).toBe("proof chain");
  });

  it("refuses a proof that is not a UCAN", async () => {
    const note = await CBOR.write({ note: 1 });
    const ucan = await issue({ issuer: await signer(2), audience: AUDIENCE, expiration: LATER });
    expect(await outcomeOf(await forge(ucan, { prf: [note.cid] }))).toBe("proof chain");
    const citing = { ...(CBOR.decode(ucan.root.bytes) as object), prf: [note.cid] };
    expect(await outcomeOf(await assemble(await CBOR.write(citing), [note]))).toBe("malformed CAR");
  });
});

describe("times [OR-30]", () => {
  it("uses the earliest expiry and the latest not-before of the whole chain", async () => {
    const [user, service] = [await signer(1), await signer(2)];
    const proof = await issue({ issuer: user, audience: service.did(), expiration: 500, notBefore: 100 });
    const early = await issue({
      issuer: service,
      audience: AUDIENCE,
      expiration: null,
      notBefore: 50,
      proofs: [proof],
    });
    expect(await outcomeOf(await tokenOf(early))).toEqual({ expiration: 500, notBefore: 100 });
    const late = await issue({ issuer: service, audience: AUDIENCE, expiration: 400, notBefore: 150, proofs: [proof] });
    expect(await outcomeOf(await tokenOf(late))).toEqual({ expiration: 400, notBefore: 150 });
    const endless = await issue({ issuer: user, audience: service.did(), expiration: null });
    const ever = await issue({ issuer: service, audience: AUDIENCE, expiration: null, proofs: [endless] });
    expect(await outcomeOf(await tokenOf(ever))).toEqual({ expiration: null, notBefore: null });
  });
});

function granting(can: string, resource: string, nb?: object) {
  return [{ can, with: resource, ...(nb && { nb }) }];
}

describe("attenuation [OR-14]", () => {
  it.each([
    ["an equal capability", granting("memory/read", "ixo:memory"), granting("memory/read", "ixo:memory")],
    ["a part of everything", granting("*", "ixo:memory"), granting("memory/read", "ixo:memory")],
    ["everything of everything", granting("*", "ixo:memory"), granting("*", "ixo:memory")],
    ["a part of a namespace", granting("memory/*", "ixo:memory"), granting("memory/read", "ixo:memory")],
    ["the whole namespace", granting("memory/*", "ixo:memory"), granting("memory/*", "ixo:memory")],
    ["a deeper namespace", granting("memory/*", "ixo:memory"), granting("memory/notes/*", "ixo:memory")],
    ["a resource below a wildcard", granting("*", "ixo:*"), granting("*", "ixo:memory")],
    ["an added caveat", granting("*", "ixo:memory"), granting("*", "ixo:memory", { space: 1 })],
    [
      "equal caveats",
      granting("*", "ixo:m", { a: { b: [1, "x"] } }),
      granting("*", "ixo:m", { a: { b: [1, "x"] }, c: 2 }),
    ],
  ])("lets a service delegate %s", async (_, granted, claimed) => {
    expect(await outcomeOf(await passOn(claimed, [granted]))).toEqual(valid);
  });

  it.each([
    ["another ability", granting("memory/read", "ixo:memory"), granting("memory/write", "ixo:memory")],
    ["everything of a namespace", granting("memory/*", "ixo:memory"), granting("*", "ixo:memory")],
    ["a whole namespace of one ability", granting("memory/read", "ixo:memory"), granting("memory/*", "ixo:memory")],
    [
      "a namespace that only shares a prefix",
      granting("memory/*", "ixo:memory"),
      granting("memorybank/read", "ixo:memory"),
    ],
    ["another resource", granting("*", "ixo:memory"), granting("*", "ixo:sandbox")],
    ["a resource that only shares a prefix", granting("*", "ixo:mem"), granting("*", "ixo:memory")],
    ["a wildcard of one resource", granting("*", "ixo:memory"), granting("*", "ixo:*")],
    ["a caveat dropped", granting("*", "ixo:memory", { space: 1 }), granting("*", "ixo:memory")],
    ["a caveat changed", granting("*", "ixo:m", { a: { b: [1] } }), granting("*", "ixo:m", { a: { b: [2] } })],
    [
      "a second capability that was not granted",
      granting("*", "ixo:m"),
      [...granting("*", "ixo:m"), ...granting("*", "ixo:n")],
    ],
  ])("refuses %s", async (_, granted, claimed) => {
    expect(await outcomeOf(await passOn(claimed, [granted]))).toBe("proof chain");
  });

  it("each capability can be covered by a separate proof", async () => {
    const claimed = [...granting("memory/read", "ixo:memory"), ...granting("skills/run", "ixo:skills")];
    const granted = [granting("memory/*", "ixo:memory"), granting("skills/*", "ixo:skills")];
    expect(await outcomeOf(await passOn(claimed, granted))).toEqual(valid);
    expect(await outcomeOf(await passOn(claimed, granted.slice(1)))).toBe("proof chain");
  });

  it("checks every step, not only the first", async () => {
    const [user, service, other] = [await signer(1), await signer(2), await signer(3)];
    const narrow = await issue({
      issuer: user,
      audience: service.did(),
      expiration: LATER,
      capabilities: granting("memory/read", "ixo:memory"),
    });
    const wide = await issue({
      issuer: service,
      audience: other.did(),
      expiration: LATER,
      capabilities: granting("memory/*", "ixo:memory"),
      proofs: [narrow],
    });
    const last = await issue({
      issuer: other,
      audience: AUDIENCE,
      expiration: LATER,
      capabilities: granting("memory/read", "ixo:memory"),
      proofs: [wide],
    });
    expect(await outcomeOf(await tokenOf(last))).toBe("proof chain");
  });
});
