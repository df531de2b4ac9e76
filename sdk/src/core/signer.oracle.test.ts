/** The tokens of the SDK's own signer, at the real oracle. */
import { build } from "esbuild";
import { expect, test } from "vitest";
import { clientOfOracle } from "../../../test/support/sdk/client-of-oracle.ts";
import { memoryStore } from "../../../test/support/sdk/memory-store.ts";
import { readOracleDid } from "./discovery.ts";
import { createSigner, DELEGATION_LIFETIME, INVOCATION_LIFETIME } from "./signer.ts";

test("a signer signs in, by an invocation and by a delegation alone [SD-1]", async () => {
  const signer = await createSigner({ store: null });
  const first = await clientOfOracle({}, { ...signer, userDid: signer.did });
  expect(await readOracleDid(`${first.oracle.url}/`, fetch)).toBe(first.client.oracleDid);
  const { sessionId } = await first.client.sessions.create();
  expect(await first.client.sessions.list()).toMatchObject({ total: 1, sessions: [{ sessionId }] });

  const { createInvocation: _, ...delegating } = signer;
  const second = await clientOfOracle({}, { ...delegating, createInvocation: undefined, userDid: signer.did });
  expect(await second.client.sessions.list()).toMatchObject({ total: 0 });
  expect(second.oracle.requests[0]?.headers["authorization"]).toBeUndefined();
});

test("a signer's key is kept, and its tokens live as long as oracles accept [SD-2]", async () => {
  const store = memoryStore();
  const { did, createInvocation, createDelegation } = await createSigner({ store });
  expect((await createSigner({ store })).did).toBe(did);
  expect((await createSigner({ store: memoryStore() })).did).not.toBe(did);
  expect((await createSigner({ seed: new Uint8Array(32).fill(1), store })).did).not.toBe(did);
  const lives = async (create: typeof createInvocation) => ((await create(did)).expiresAt - Date.now()) / 1000;
  expect(Math.abs((await lives(createInvocation)) - INVOCATION_LIFETIME)).toBeLessThan(10);
  expect(Math.abs((await lives(createDelegation)) - DELEGATION_LIFETIME)).toBeLessThan(10);
  expect(INVOCATION_LIFETIME).toBeLessThan(900);
});

const ed25519 = async (isExtractable: boolean) =>
  (await crypto.subtle.generateKey("Ed25519", isExtractable, ["sign", "verify"])) as CryptoKeyPair;

test("a non-extractable key signs in, even after storage, and is in no store [SD-273]", async () => {
  const key = await ed25519(false);
  await expect(crypto.subtle.exportKey("pkcs8", key.privateKey)).rejects.toThrow("not extractable");
  const store = memoryStore();
  const signer = await createSigner({ key, store });
  expect(store.values.size).toBe(0);
  const first = await clientOfOracle({}, { ...signer, userDid: signer.did });
  const { sessionId } = await first.client.sessions.create();
  expect(await first.client.sessions.list()).toMatchObject({ total: 1, sessions: [{ sessionId }] });

  // The key as IndexedDB stores it.
  const { createInvocation: _, ...delegating } = await createSigner({ key: structuredClone(key) });
  expect(delegating.did).toBe(signer.did);
  const second = await clientOfOracle({}, { ...delegating, createInvocation: undefined, userDid: delegating.did });
  expect(await second.client.sessions.list()).toMatchObject({ total: 0 });
});

test("a key pair and the seed of its key are one user [SD-273]", async () => {
  const key = await ed25519(true);
  const seed = new Uint8Array((await crypto.subtle.exportKey("pkcs8", key.privateKey)) as ArrayBuffer).slice(-32);
  expect((await createSigner({ key })).did).toBe((await createSigner({ seed })).did);
});

test("a key pair of another algorithm is refused when the signer is made [SD-273]", async () => {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const key = (await crypto.subtle.generateKey(curve, false, ["sign", "verify"])) as CryptoKeyPair;
  await expect(createSigner({ key })).rejects.toThrow("A signer needs an Ed25519 key pair");
});

test("a signer runs in browsers, and its libraries are not part of the core [SD-3]", async () => {
  const { metafile } = await build({
    entryPoints: ["sdk/src/core/index.ts"],
    bundle: true,
    write: false,
    format: "esm",
    splitting: true,
    outdir: "out",
    platform: "browser",
    metafile: true,
    logLevel: "silent",
  });
  const entry = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === "sdk/src/core/index.ts");
  const eager = entry?.imports
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => metafile.outputs[path]);
  const inputs = [entry, ...(eager ?? [])].flatMap((output) => Object.keys(output?.inputs ?? {}));
  expect(inputs).toContain("sdk/src/core/signer.ts");
  expect(inputs.filter((path) => /ucanto|multiformats|noble|dag-ucan/.test(path))).toEqual([]);
});
