/** A proposal's subject compared with the current domain: digests from the registry's library, and readable differences. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { expect, test } from "vitest";
import { digestOf } from "./canonical-digest.ts";
import { changedMembers, contentDifferences, type PackageFacts } from "./package-changes.ts";
import type { Domain } from "./proposal.ts";

const domain = {
  type: "Project",
  class: "did:ixo:protocol/x",
  controllers: ["did:web:a.test", "did:web:b.test"],
  relayerNode: null,
  externalId: null,
  validFrom: null,
  validUntil: null,
  metadata: { name: "Kigali “plant”", ä: [1.5, -0, 1e21, null, true], a: { Z: 1, a: 2, "\u{1F600}": "x", "﻿": "y" } },
  document: { service: [{ id: "#web", type: "LinkedDomains", serviceEndpoint: "https://a.test" }] },
  credentials: [],
  accounts: [{ name: "main", address: "x1" }],
} as unknown as Domain;

const hashOf = (value: unknown): string =>
  createHash("sha256")
    .update(String(canonicalize(value)))
    .digest("hex");

function factsOf(record: Domain): PackageFacts {
  return {
    ...record,
    version: 1,
    metadataHash: hashOf(record.metadata),
    documentHash: hashOf(record.document),
    credentialsHash: hashOf(record.credentials),
    accountsHash: hashOf(record.accounts),
    contentHash: "",
  };
}

test("an unmodified domain is unchanged, whatever the order of its controllers [CN-93]", async () => {
  const facts = factsOf(domain);
  expect(await changedMembers(facts, domain)).toEqual([]);
  const turned = { ...domain, controllers: domain.controllers.toReversed() };
  expect(await changedMembers(facts, turned)).toEqual([]);
  expect(await digestOf(domain.metadata)).toBe(facts.metadataHash);
});

test.each([
  ["type", { type: "Asset" }],
  ["class", { class: "did:ixo:protocol/y" }],
  ["controllers", { controllers: ["did:web:a.test"] }],
  ["relayerNode", { relayerNode: "did:web:relay.test" }],
  ["externalId", { externalId: "7" }],
  ["validUntil", { validUntil: "2027-01-01T00:00:00Z" }],
  ["metadata", { metadata: { ...domain.metadata, name: "Other" } }],
  ["document", { document: { ...domain.document, service: [] } }],
  ["accounts", { accounts: [] }],
])("a change of %s is named [CN-93]", async (member, change) => {
  expect(await changedMembers(factsOf(domain), { ...domain, ...change })).toEqual([member]);
});

test("differences name their place, and list items by their ids [CN-93]", () => {
  const after = {
    ...domain,
    metadata: { name: "New" },
    document: { service: [{ id: "#web", type: "LinkedDomains", serviceEndpoint: "https://b.test" }] },
  } as unknown as Domain;
  expect(contentDifferences(domain, after)).toEqual([
    { path: "/metadata/name", from: "Kigali “plant”", to: "New" },
    { path: "/metadata/ä", from: [1.5, -0, 1e21, null, true], to: undefined },
    { path: "/metadata/a", from: domain.metadata["a"], to: undefined },
    { path: "/document/service/#web/serviceEndpoint", from: "https://a.test", to: "https://b.test" },
  ]);
  const turned = { ...domain, controllers: domain.controllers.toReversed() };
  expect(contentDifferences(domain, turned)).toEqual([]);
});
