/** A domain that is exported as CSV imports again unchanged, without a manual mapping. */
import { expect, test } from "vitest";
import { createDomain } from "../../../../workers/registry/domain/creation.ts";
import { representationOf } from "../../../../workers/registry/domain/representation.ts";
import { guessedTargets, mappingFaults } from "../../files/csv-mapping.ts";
import { fileItems } from "../../files/file-items.ts";
import { recognised } from "../../files/recognised.ts";
import type { Domain } from "../domain-record.ts";
import { csvHead, csvRowOf } from "./domain-csv.ts";

const birth = {
  id: "did:ixo:entity:0123456789abcdef0123456789abcdef",
  creator: "did:web:a",
  at: 0,
  relayerNode: undefined,
};

async function domainOf(sent: object): Promise<Domain> {
  const step = await createDomain(sent as Parameters<typeof createDomain>[0], birth);
  if (!step.ok) throw new Error(step.error.message);
  return JSON.parse(JSON.stringify(representationOf(step.value.after))) as Domain;
}

const minimal = { type: "Project", class: "did:ixo:protocol/clean-cooking" };

test.each<[string, object]>([
  ["the least", {}],
  ["a name with a separator, a quote and a line break", { metadata: { name: 'A, "b"', description: "one\r\ntwo\n" } }],
  ["texts like formulas", { metadata: { name: "=1+1", description: "'=x" }, externalId: "+254700" }],
  [
    "metadata of all kinds",
    { metadata: { name: 7, description: "", nested: { list: [1, null, "x"] }, Village: "Kibera" } },
  ],
  [
    "every member",
    {
      metadata: { name: "B" },
      controllers: ["did:web:b", "did:web:c%3A3000"],
      relayerNode: "did:web:relayer",
      externalId: "KE-1",
      validFrom: "2026-01-01",
      validUntil: "2030-01-01",
      credentials: [{ id: "urn:x:1" }],
      accounts: [{ name: "main", address: "ixo1abc" }],
      document: {
        service: [{ id: "s", type: "T", serviceEndpoint: "https://a.example/x?y=1,2" }],
        linkedResource: [{ id: "r", type: "Image", description: "a; b" }],
      },
    },
  ],
])("%s [CN-277]", async (_, members) => {
  const domain = await domainOf({ ...minimal, ...members });
  const bytes = new TextEncoder().encode(`${csvHead}${csvRowOf(domain)}`);
  const format = await recognised(bytes);
  if (format.kind !== "csv") throw new Error("no table");
  const mapping = { columns: format.columns, targets: guessedTargets(format.columns), everyRow: {} };
  expect(mappingFaults(mapping)).toEqual([]);
  expect(mapping.targets).not.toContain("ownName");
  const items = [];
  const chunks = async function* () {
    yield bytes;
  };
  for await (const { text, fault } of fileItems(chunks(), { kind: "csv", style: format.style, mapping }))
    if (text !== "" || fault !== undefined) items.push(text);
  expect(items).toHaveLength(1);
  expect(await domainOf(JSON.parse(items[0] ?? "") as object)).toEqual(domain);
});
