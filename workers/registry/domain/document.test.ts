/** The limits of a domain's own document, each at its edge. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../platform/json.ts";
import { createDomain } from "./creation.ts";
import { DOCUMENT_BYTES, LIST_ITEMS, OTHER_NAMES } from "./document.ts";
import { didDocumentOf } from "./did-document.ts";
import { ACCOUNTS } from "./members.ts";
import { jsonBytes, NAME_LENGTH } from "./metadata.ts";

const birth = { id: `did:ixo:entity:${"0".repeat(32)}`, creator: "did:a:b", at: 0, relayerNode: undefined };
const create = (more: JsonObject) => createDomain({ type: "t", class: "did:a:b", ...more }, birth);
const withDocument = (document: JsonObject) => create({ document });

async function accepted(document: JsonObject): Promise<boolean> {
  return (await withDocument(document)).ok;
}

const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));

describe("limits [RG-48]", () => {
  test("accepts 20 alternative names", async () => {
    const names = (count: number) => ({ alsoKnownAs: many(count, (at) => `https://a.test/${at}`) });
    expect([await accepted(names(OTHER_NAMES)), await accepted(names(OTHER_NAMES + 1))]).toEqual([true, false]);
  });

  test("accepts 100 items per list", async () => {
    const entities = (count: number) => ({ linkedEntity: many(count, (at) => ({ id: `#${at}`, type: "t" })) });
    expect([await accepted(entities(LIST_ITEMS)), await accepted(entities(LIST_ITEMS + 1))]).toEqual([true, false]);
  });

  test("accepts 131,072 bytes, measured in stored form", async () => {
    const filled = (size: number) => ({ linkedEntity: [{ id: "#a", type: "t", service: "s".repeat(size) }] });
    const smallest = await withDocument(filled(0));
    const room = smallest.ok ? DOCUMENT_BYTES - jsonBytes(smallest.value.after.document) : 0;
    expect([await accepted(filled(room)), await accepted(filled(room + 1))]).toEqual([true, false]);
  });

  test("accepts 50 accounts, and names of 256 characters", async () => {
    const accounts = (count: number) => many(count, (at) => ({ name: `n${at}`, address: "a" }));
    const taken = await create({ accounts: accounts(ACCOUNTS), metadata: { name: "🎉".repeat(NAME_LENGTH + 1) } });
    expect(taken).toMatchObject({ ok: true, value: { after: { name: "🎉".repeat(NAME_LENGTH) } } });
    expect((await create({ accounts: accounts(ACCOUNTS + 1) })).ok).toBe(false);
  });
});

describe("verification methods [RG-50]", () => {
  const method = (key: JsonObject) => accepted({ verificationMethod: [{ id: "#k", type: "T", ...key }] });

  test.each([
    { publicKeyMultibase: "z6MkhaXgBZD" },
    { publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: "AA" } },
    { publicKeyBase58: "H3C2AVvLMv6gmMNam3uVAjZpfkcJCwDwnZn6z3wXmqPV" },
    { publicKeyHex: "02b97c30de767f084ce3080168ee293053ba33b235d7116a3263d29f1450936b71" },
    { blockchainAccountId: "eip155:1:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb" },
    { blockchainAccountID: "ixo1abcdef" },
    { publicKeyHex: "00", controller: "did:web:other.test" },
    { publicKeyHex: "00", controller: "{id}" },
  ])("accepts a method with one key: %j", async (key) => {
    expect(await method(key)).toBe(true);
  });

  test.each([
    {},
    { publicKeyHex: "00", publicKeyBase58: "a" },
    { publicKeyHex: "0" },
    { publicKeyBase58: "0OIl" },
    { publicKeyMultibase: "" },
    { publicKeyJwk: { crv: "Ed25519" } },
    { publicKeyJwk: { kty: "oct", k: "AA" } },
    { publicKeyJwk: { kty: "OKP", d: "AA" } },
    { publicKeyHex: "00", controller: "nobody" },
  ])("rejects a method without exactly one key: %j", async (key) => {
    expect(await method(key)).toBe(false);
  });
});

test.each([
  ["a service without an endpoint", { service: [{ id: "#s", type: "T" }] }],
  ["an endpoint that is not a URI", { service: [{ id: "#s", type: "T", serviceEndpoint: "example.org" }] }],
  [
    "one id twice, written in two ways",
    {
      linkedClaim: [
        { id: "#c", type: "T" },
        { id: "{id}#c", type: "T" },
      ],
    },
  ],
  ["encrypted as a boolean", { linkedResource: [{ id: "#r", type: "T", encrypted: true }] }],
  ["a relationship without its method", { authentication: ["#nobody"] }],
  ["half a character", { linkedEntity: [{ id: "\ud800", type: "t" }] }],
  ["a value that is not a list", { service: {} }],
])("rejects %s", async (_what, document) => {
  expect(await accepted(document)).toBe(false);
});

test("keeps all items without an id", async () => {
  expect(await accepted({ linkedEntity: [{ type: "deed" }, { type: "deed" }] })).toBe(true);
});

test("renders an empty document as the minimal W3C document", async () => {
  const created = await create({});
  expect(created.ok && didDocumentOf(created.value.after)).toEqual({
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/ixo/ns/did/v1"],
    id: birth.id,
    controller: ["did:a:b"],
    class: "did:a:b",
  });
});
