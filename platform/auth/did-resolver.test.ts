/** Keys of DIDs. */
import { base58btc } from "multiformats/bases/base58";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startLocalServer } from "../../test/support/server/local-server.ts";
import { signer } from "../../test/support/auth/ucan.ts";
import { fail } from "../failure.ts";
import { failure, success } from "../result.ts";
import { publicKeyOf } from "./verification-method.ts";
import {
  createDidResolver,
  KNOWN_KEYS_LIFETIME,
  MAX_RESOLVER_RESPONSE,
  OUTAGE_LIFETIME,
  RESOLVER_TIMEOUT,
  staticDidKeysSchema,
  UNKNOWN_DID_LIFETIME,
  type DidResolverOptions,
} from "./did-resolver.ts";

const USER = "did:ixo:ixo1user";
const keyDid = (await signer(7)).did();
const key = publicKeyOf(keyDid) ?? new Uint8Array();
const multibase = keyDid.slice("did:key:".length);
const method = { id: `${USER}#key-1`, type: "Ed25519VerificationKey2020", publicKeyMultibase: multibase };
const found = success({ keys: [key], until: expect.any(Number) as number });
const nobody = success({ keys: [] });
const outage = failure("unresolvable");

/** A small Blocksync service: knows USER, records its requests. */
let asked: { query: string; variables: { did: string } }[] = [];
let answer: (did: string) => { status: number; body: string };
const blocksync = await startLocalServer((_, body, response) => {
  const request = JSON.parse(body) as { query: string; variables: { did: string } };
  asked.push(request);
  const { status, body: text } = answer(request.variables.did);
  response.writeHead(status, { Location: "/elsewhere" }).end(text);
});
afterAll(() => blocksync.close());

const nodes = (did: string, verificationMethod: unknown) => ({
  status: 200,
  body: JSON.stringify({ data: { iids: { nodes: [{ id: did, verificationMethod }] } } }),
});

let now = 1_000_000;
beforeEach(() => {
  asked = [];
  now = 1_000_000;
  answer = (did) => (did === USER ? nodes(did, [method]) : { status: 200, body: '{"data":{"iids":{"nodes":[]}}}' });
});

const resolver = (options: Partial<DidResolverOptions> = {}) =>
  createDidResolver({ blocksyncUrl: `${blocksync.origin}/graphql`, fetch, clock: () => now, ...options });

describe("did:key [OR-15]", () => {
  it("contains its own key, without any network", async () => {
    expect(await resolver()(keyDid)).toEqual(success({ keys: [key] }));
    expect(asked).toEqual([]);
  });

  it.each([
    ["another algorithm", "did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc"],
    ["a truncated key", keyDid.slice(0, -2)],
    ["another base", "did:key:f00ed01"],
    ["nothing", "did:key:"],
    ["an unsupported method", "did:web:example.org"],
  ])("has no key for %s", async (_, did) => {
    expect(await resolver()(did)).toEqual(nobody);
    expect(asked).toEqual([]);
  });
});

const registry = (did: string) =>
  Promise.resolve(did === USER ? success({ id: did, verificationMethod: [{ ...method }] }) : fail("not_found", "no"));
const emptyRegistry = () => Promise.resolve(fail("not_found", "no"));
const registryDown = () => Promise.resolve(fail("unavailable", "down"));

describe("the order of the sources [OR-15]", () => {
  it("asks no other source about a domain that the registry reports as deactivated", async () => {
    const document = () => Promise.resolve(fail("gone", "The domain is deactivated"));
    expect(await resolver({ document })(USER)).toMatchObject(nobody);
    expect(asked).toEqual([]);
  });

  it("asks no other source about a domain whose own document has no Ed25519 key [OR-541]", async () => {
    const document = () => Promise.resolve(success({ id: USER, verificationMethod: [] }));
    expect(await resolver({ document })(USER)).toMatchObject(nobody);
    expect(asked).toEqual([]);
  });

  it("uses the keys of the registry's document that `authentication` names, and all if it names no use [OR-541]", async () => {
    const other = (await signer(8)).did();
    const second = { ...method, id: `${USER}#key-2`, publicKeyMultibase: other.slice("did:key:".length) };
    const documented = (uses: object) =>
      resolver({ document: () => Promise.resolve(success({ verificationMethod: [method, second], ...uses })) })(USER);
    const keysFor = async (uses: object) => {
      const known = await documented(uses);
      return known.ok ? known.value.keys : known.error;
    };
    expect(await keysFor({})).toEqual([key, publicKeyOf(other)]);
    expect(await keysFor({ authentication: [second.id] })).toEqual([publicKeyOf(other)]);
    expect(await keysFor({ assertionMethod: [method.id], authentication: [] })).toEqual([]);
    expect(await keysFor({ keyAgreement: [second.id] })).toEqual([]);
  });

  it("asks the static map, then the registry, then Blocksync", async () => {
    const elsewhere = (await signer(8)).did();
    const inMap = resolver({ staticKeys: { [USER]: [elsewhere, keyDid] }, document: registry });
    expect(await inMap(USER)).toMatchObject(success({ keys: [publicKeyOf(elsewhere), key] }));
    expect(await resolver({ document: registry })(USER)).toEqual(found);
    expect(asked).toEqual([]);
    expect(await resolver({ document: emptyRegistry })(USER)).toEqual(found);
    expect(asked).toHaveLength(1);
  });

  it("uses no network if the static map has a DID, even without keys", async () => {
    expect(await resolver({ staticKeys: { [USER]: [] } })(USER)).toMatchObject(nobody);
    expect(asked).toEqual([]);
  });

  it("sends the right query", async () => {
    await resolver()(USER);
    expect(asked[0]?.variables).toEqual({ did: USER });
    expect(asked[0]?.query.replaceAll(/\s+/g, "")).toContain(
      "iids(filter:{id:{equalTo:$did}}){nodes{idverificationMethod}}",
    );
  });

  it("returns no keys if no source is configured", async () => {
    expect(await createDidResolver({ fetch, clock: () => now })(USER)).toMatchObject(nobody);
  });

  it("does not replace an unavailable registry by another source, because it may have removed the key [OR-541]", async () => {
    expect(await resolver({ document: registryDown })(USER)).toEqual(outage);
    expect(asked).toEqual([]);
  });
});

describe("an outage [OR-28]", () => {
  it.each<[string, typeof answer]>([
    ["a server error", () => ({ status: 503, body: "{}" })],
    ["a redirect", () => ({ status: 302, body: "" })],
    ["text that is not JSON", () => ({ status: 200, body: "<html>" })],
    ["a GraphQL error", () => ({ status: 200, body: '{"errors":[{"message":"no"}],"data":null}' })],
    [
      "a body over the limit",
      (did) => ({ ...nodes(did, [method]), body: nodes(did, [method]).body.padEnd(MAX_RESOLVER_RESPONSE + 1) }),
    ],
  ])("is %s", async (_, reply) => {
    answer = reply;
    expect(await resolver()(USER)).toEqual(outage);
  });

  it("does not include a body that just fits", async () => {
    answer = (did) => ({ ...nodes(did, [method]), body: nodes(did, [method]).body.padEnd(MAX_RESOLVER_RESPONSE) });
    expect(await resolver()(USER)).toEqual(found);
  });

  it("is a response beyond the time limit", async () => {
    expect(RESOLVER_TIMEOUT).toBe(3_000);
    const mute = await startLocalServer(() => {});
    expect(await resolver({ timeout: 50, blocksyncUrl: mute.origin })(USER)).toEqual(outage);
    await mute.close();
  });

  it("is a refused connection", async () => {
    expect(await resolver({ blocksyncUrl: "http://127.0.0.1:1/graphql" })(USER)).toEqual(outage);
  });

  it("is cached for 3 seconds, for the requested DID", async () => {
    const resolve = resolver();
    answer = () => ({ status: 500, body: "" });
    expect(await resolve(USER)).toEqual(outage);
    answer = (did) => nodes(did, [method]);
    now += OUTAGE_LIFETIME - 1;
    expect(await resolve(USER)).toEqual(outage);
    expect(asked).toHaveLength(1);
    expect(await resolve("did:ixo:ixo1other")).toEqual(found);
    now += 1;
    expect(await resolve(USER)).toEqual(found);
    expect(OUTAGE_LIFETIME).toBe(3_000);
  });

  it("costs 150 requests one lookup", async () => {
    const resolve = resolver();
    answer = () => ({ status: 500, body: "" });
    const outcomes = await Promise.all(Array.from({ length: 150 }, () => resolve(USER)));
    expect(outcomes).toEqual(Array.from({ length: 150 }, () => outage));
    expect(await resolve(USER)).toEqual(outage);
    expect(asked).toHaveLength(1);
  });
});

describe("the cache [OR-16]", () => {
  it("keeps keys for 60 seconds", async () => {
    const resolve = resolver();
    await resolve(USER);
    now += KNOWN_KEYS_LIFETIME - 1;
    await resolve(USER);
    expect(asked).toHaveLength(1);
    now += 1;
    await resolve(USER);
    expect(asked).toHaveLength(2);
    expect(KNOWN_KEYS_LIFETIME).toBe(60_000);
  });

  it("returns until when keys are valid, shared by concurrent requests [OR-542]", async () => {
    const resolve = resolver();
    const until = now + KNOWN_KEYS_LIFETIME;
    expect(await resolve(USER)).toMatchObject({ value: { until } });
    now += 30_000;
    expect(await resolve(USER)).toMatchObject({ value: { until } });
  });

  it("does not evict keys for invented DIDs", async () => {
    let read = 0;
    const document = (did: string) => {
      read += did === USER ? 1 : 0;
      return registry(did);
    };
    const resolve = createDidResolver({ fetch, clock: () => now, document });
    await resolve(USER);
    for (let made = 0; made < 5_000; made += 1) await resolve(`did:ixo:ixo1made${made}`);
    expect([await resolve(USER), read]).toEqual([found, 1]);
  });

  it("keeps an unknown DID for 10 seconds", async () => {
    const resolve = resolver();
    await resolve("did:ixo:ixo1other");
    now += UNKNOWN_DID_LIFETIME - 1;
    expect(await resolve("did:ixo:ixo1other")).toMatchObject(nobody);
    expect(asked).toHaveLength(1);
    now += 1;
    await resolve("did:ixo:ixo1other");
    expect(asked).toHaveLength(2);
    expect(UNKNOWN_DID_LIFETIME).toBe(10_000);
  });
});

describe("verification methods [OR-15]", () => {
  const hex = [...key].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const x = btoa(String.fromCharCode(...key))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  const base58 = base58btc.baseEncode(key);

  it.each([
    ["publicKeyMultibase", method],
    ["publicKeyMultibase without multicodec", { ...method, publicKeyMultibase: `z${base58}` }],
    ["publicKeyHex", { id: "#1", type: "Ed25519VerificationKey2018", publicKeyHex: hex.toUpperCase() }],
    ["publicKeyBase58", { id: "#1", type: "Ed25519VerificationKey2018", publicKeyBase58: base58 }],
    ["a JWK", { id: "#1", type: "JsonWebKey2020", publicKeyJwk: { kty: "OKP", crv: "Ed25519", x } }],
    ["a signing key of any type", { id: `${USER}#signing-1`, type: "Multikey", publicKeyMultibase: multibase }],
  ])("are read from %s", async (_, entry) => {
    answer = (did) => nodes(did, [entry]);
    expect(await resolver()(USER)).toEqual(found);
  });

  it.each<[string, unknown]>([
    ["another kind of key", [{ ...method, type: "EcdsaSecp256k1VerificationKey2019" }]],
    [
      "a JWK of another curve",
      [{ id: "#1", type: "JsonWebKey2020", publicKeyJwk: { kty: "EC", crv: "P-256", x, y: x } }],
    ],
    ["a key of another length", [{ id: "#1", type: "Ed25519VerificationKey2018", publicKeyHex: `${hex}00` }]],
    ["invalid hex", [{ id: "#1", type: "Ed25519VerificationKey2018", publicKeyHex: "xyz" }]],
    ["a method without key", [{ id: "#1", type: "Ed25519VerificationKey2018" }]],
    ["entries that are not methods", [1, null, "key"]],
    ["no list", { key: method }],
    ["nothing", null],
  ])("give no key from %s", async (_, entries) => {
    answer = (did) => nodes(did, entries);
    expect(await resolver()(USER)).toMatchObject(nobody);
  });

  it("come only from the requested document", async () => {
    answer = () => nodes("did:ixo:ixo1other", [method]);
    expect(await resolver()(USER)).toMatchObject(nobody);
  });

  it("return every key", async () => {
    const other = (await signer(8)).did();
    answer = (did) =>
      nodes(did, [{ ...method, publicKeyMultibase: other.slice("did:key:".length) }, { type: "x" }, method]);
    expect(await resolver()(USER)).toMatchObject(success({ keys: [publicKeyOf(other), key] }));
  });
});

describe("STATIC_DID_KEYS [OR-15]", () => {
  it("maps DIDs to lists of did:keys", () => {
    expect(staticDidKeysSchema.safeParse({ [USER]: [keyDid] }).success).toBe(true);
    for (const wrong of [{ [USER]: keyDid }, { [USER]: [USER] }, { user: [keyDid] }, [keyDid]]) {
      expect(staticDidKeysSchema.safeParse(wrong).success).toBe(false);
    }
  });
});
