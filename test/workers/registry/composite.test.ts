/** Inheritance along the chain of classes. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
const ROOT = "did:ixo:protocol/root";
let key = "";

beforeAll(async () => {
  key = await edge.keyOf("did:web:composite.test", ["domains:write"]);
});

async function newDomain(classDid: string, document: object = {}): Promise<string> {
  const created = await edge.ask("POST", "/v1/domains", { key, body: { type: "Protocol", class: classDid, document } });
  expect(created.status).toBe(201);
  return created.body.id;
}

async function patch(id: string, body: object): Promise<void> {
  const { status } = await edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": "*" }, body });
  expect(status).toBe(200);
}

const composite = (id: string, headers: Record<string, string> = {}) =>
  edge.ask("GET", `/v1/domains/${id}/composite`, { key, headers });

const service = (id: string, host: string) => ({ id, type: "T", serviceEndpoint: `https://${host}.test` });

test("the nearest item with a name wins as a whole, the rest is inherited and names its source [RG-56, RG-57]", async () => {
  const far = await newDomain(ROOT, {
    service: [service("#a", "far"), service("#c", "far")],
    linkedResource: [{ id: "#s", type: "Settings", description: "page", serviceEndpoint: "far" }],
    verificationMethod: [{ id: "#k", type: "T", publicKeyMultibase: "z6Mk" }],
    alsoKnownAs: ["https://far.test/"],
  });
  const near = await newDomain(far, {
    service: [service("{id}#a", "near"), service("#b", "near")],
    linkedResource: [{ id: "#s2", type: "Settings", description: "page", serviceEndpoint: "near" }],
  });
  const own = await newDomain(near, { service: [service("#b", "own")], linkedEntity: [{ type: "deed" }] });
  const { status, body } = await composite(own);
  expect(status).toBe(200);
  expect(body.document.service).toEqual([
    service("#b", "own"),
    { ...service(`${near}#a`, "near"), inheritedFrom: near },
    { ...service("#c", "far"), inheritedFrom: far },
  ]);
  expect(body.document.settings).toMatchObject({ page: { serviceEndpoint: "near", inheritedFrom: near } });
  expect(body.document).toMatchObject({ linkedResource: [], verificationMethod: [], alsoKnownAs: [] });
  expect(body.inheritance).toEqual([
    { did: near, found: true, version: 1 },
    { did: far, found: true, version: 1 },
    { did: ROOT, found: false, version: null },
  ]);
  expect(body).toMatchObject({ id: own, truncated: false, cycle: false, version: 1 });
});

test("its tag changes with any version in the chain [RG-59]", async () => {
  const far = await newDomain(ROOT);
  const near = await newDomain(far);
  const first = await composite(near);
  const headers = { "If-None-Match": first.headers.get("ETag") ?? "" };
  expect((await composite(near, headers)).status).toBe(304);
  await patch(far, { metadata: { changed: true } });
  expect((await composite(near, headers)).status).toBe(200);
});

test("a cycle ends the walk [RG-59]", async () => {
  const one = await newDomain(ROOT);
  const other = await newDomain(one);
  await patch(one, { class: other });
  const { status, body } = await composite(one);
  expect(status).toBe(200);
  expect(body).toMatchObject({ cycle: true, truncated: false, inheritance: [{ did: other, found: true }] });
  expect(body.inheritance).toHaveLength(1);
});

test("a chain of 25 is cut after 20 ancestors, one of 20 is whole [RG-59]", async () => {
  const chain: string[] = [];
  for (let n = 0; n < 25; n += 1) chain.push(await newDomain(chain.at(-1) ?? ROOT));
  const long = await composite(chain[24] ?? "");
  expect(long).toMatchObject({ status: 200, body: { truncated: true, cycle: false } });
  expect(long.body.inheritance).toHaveLength(20);
  const whole = await composite(chain[20] ?? "");
  expect(whole.body).toMatchObject({ truncated: false, cycle: false });
  expect(whole.body.inheritance.at(-1)).toEqual({ did: ROOT, found: false, version: null });
  expect((await composite(chain[21] ?? "")).body.truncated).toBe(true);
});

test("inheritance gives no rights [RG-58]", async () => {
  const near = await newDomain(ROOT);
  const child = await newDomain(near);
  await patch(child, { controllers: ["did:web:other.test"] });
  const refused = await edge.ask("PATCH", `/v1/domains/${child}`, { key, headers: { "If-Match": "*" }, body: {} });
  expect(refused).toMatchObject({ status: 403 });
  expect((await composite(child)).body.controllers).toEqual(["did:web:other.test"]);
});

test("of an unknown domain is not found", async () => {
  expect((await composite(`did:ixo:entity:${"0".repeat(32)}`)).status).toBe(404);
});

test.each(["#part", "/path", "?q=1", "/path?q#part"])("a class with %s is the class of its DID", async (rest) => {
  const root = await newDomain(ROOT, { service: [service("#root", "root")] });
  const middle = await newDomain(root + rest, { service: [service("#middle", "middle")] });
  const own = await newDomain(middle + rest);
  const { body } = await composite(own);
  expect(body.class).toBe(middle + rest);
  expect(body.document.service.map(({ id }: { id: string }) => id)).toEqual(["#middle", "#root"]);
  expect(body.inheritance).toEqual([
    { did: middle, found: true, version: 1 },
    { did: root, found: true, version: 1 },
    { did: ROOT, found: false, version: null },
  ]);
  const query = `{ entity(id: "${own}") { service } }`;
  const asked = await edge.ask("POST", "/graphql", { body: { query } });
  expect(asked.body.data.entity.service).toEqual(body.document.service);
  await patch(root, { class: own + rest });
  expect((await composite(own)).body).toMatchObject({ cycle: true, inheritance: [{ did: middle }, { did: root }] });
});
