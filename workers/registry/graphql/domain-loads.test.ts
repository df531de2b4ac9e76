/** All fields of a request share their reads. */
import { expect, test } from "vitest";
import { domainId, domainRecord, emptyDocument } from "../../../test/support/registry/domain-records.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { createAnswerBudget, READ_LENGTH } from "./answer-budget.ts";
import { createBatchLoader, createDomainLoads } from "./domain-loads.ts";
import { createDocumentCache, KEPT_DOCUMENTS, KEPT_LENGTH } from "./engine.ts";

const service = (id: string) => ({ id, type: "Api", serviceEndpoint: "https://api.test" });

test("a hundred domains of ten class chains inherit with one statement", async () => {
  const registry = registryInNode();
  // 0 to 9 are roots, 10 to 19 have roots as class, 100 to 199 have those as class.
  const classOf = (number: number) =>
    number < 10 ? "did:ixo:protocol" : domainId(number < 100 ? number - 10 : 10 + (number % 10));
  const numbers = [...Array(20).keys(), ...Array.from({ length: 100 }, (_, at) => 100 + at)];
  const domains = numbers.map((number) =>
    domainRecord(number, {
      class: classOf(number),
      document: { ...emptyDocument, service: number < 20 ? [service(`#from-${number}`)] : [] },
    }),
  );
  for (const domain of domains) await registry.store(domain);
  registry.texts.length = 0;

  const loads = createDomainLoads(registry.d1, 0, createAnswerBudget());
  const leaves = domains.slice(20);
  const composites = await Promise.all([...leaves, ...leaves].map((domain) => loads.composite(domain)));
  expect(registry.texts).toHaveLength(1);
  expect(composites[7]?.service).toEqual([
    { ...service("#from-17"), inheritedFrom: domainId(17) },
    { ...service("#from-7"), inheritedFrom: domainId(7) },
  ]);
});

test("loads domains that are requested together with one statement, and skips invalid ids", async () => {
  const registry = registryInNode();
  await registry.store(domainRecord(1));
  await registry.store(domainRecord(2));
  registry.texts.length = 0;
  const loads = createDomainLoads(registry.d1, 0, createAnswerBudget());
  const found = await Promise.all(
    [domainId(1), domainId(2), domainId(1), domainId(3), "", "' OR 1=1"].map(loads.effective),
  );
  expect(found.map((domain) => domain?.id)).toEqual([
    domainId(1),
    domainId(2),
    domainId(1),
    undefined,
    undefined,
    undefined,
  ]);
  expect(registry.texts).toHaveLength(1);
  expect(await loads.effective("' OR 1=1")).toBeUndefined();
  expect(registry.texts).toHaveLength(1);
});

test("a cycle of classes ends", async () => {
  const registry = registryInNode();
  const [one, other] = [domainRecord(1, { class: domainId(2) }), domainRecord(2, { class: domainId(1) })];
  for (const domain of [one, other]) await registry.store(domain);
  expect(await createDomainLoads(registry.d1, 0, createAnswerBudget()).composite(one)).toMatchObject({
    service: [],
    settings: {},
  });
});

test("refuses classes that are too large together, without reading all of them", async () => {
  const registry = registryInNode();
  const metadata = { padding: "x".repeat(65_000) };
  const enough = Math.ceil(READ_LENGTH / 65_000);
  const ids = Array.from({ length: enough }, (_, at) => domainId(at + 1));
  for (const [at] of ids.entries()) await registry.store(domainRecord(at + 1, { metadata }));
  const leaves = ids.map((each, at) => domainRecord(1_000 + at, { class: each }));

  const loads = createDomainLoads(registry.d1, 0, createAnswerBudget());
  const some = leaves.slice(0, enough - 10);
  await expect(Promise.all(some.map((leaf) => loads.composite(leaf)))).resolves.toHaveLength(some.length);
  const others = createDomainLoads(registry.d1, 0, createAnswerBudget());
  await expect(Promise.all(leaves.map((leaf) => others.composite(leaf)))).rejects.toThrow(/too large together/);
});

test("a failed load fails its callers", async () => {
  const load = createBatchLoader(() => Promise.reject(new Error("no storage")));
  await expect(Promise.all([load("a"), load("b")])).rejects.toThrow("no storage");
});

test("caches documents up to a number and a length", () => {
  const cache = createDocumentCache<number>();
  cache.set("x".repeat(KEPT_LENGTH), 1);
  cache.set("x".repeat(KEPT_LENGTH + 1), 1);
  expect([cache.get("x".repeat(KEPT_LENGTH)), cache.get("x".repeat(KEPT_LENGTH + 1))]).toEqual([1, undefined]);
  for (let number = 0; number < KEPT_DOCUMENTS; number += 1) cache.set(`${number}`, number);
  expect(cache.get("x".repeat(KEPT_LENGTH))).toBeUndefined();
  expect([cache.get("0"), cache.get(`${KEPT_DOCUMENTS - 1}`)]).toEqual([0, KEPT_DOCUMENTS - 1]);
});
