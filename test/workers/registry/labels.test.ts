/** The labels of the DIDs that act in the registry. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN, registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const admin = "the-admin-of-the-labels";
const reader = "the-reader-of-the-labels";
const voter = "the-voter-of-the-labels";
const edge = registryEdge({
  DATABASE,
  REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([
    { key: admin, did: "did:web:admin.test", scopes: ["registry:admin"] },
    { key: reader, did: "did:web:reader.test", scopes: ["domains:read"] },
    { key: voter, did: "did:web:voter.test", scopes: ["verification:vote"] },
  ]),
});
const labels = (dids: readonly string[], key = reader) =>
  edge.ask("GET", `/v1/labels?${dids.map((did) => `did=${encodeURIComponent(did)}`).join("&")}`, { key });
const issue = async (did: string, label: string): Promise<string> => {
  const body = { did, label, scopes: ["verification:vote"] };
  const issued = await edge.ask("POST", "/v1/api-keys", { key: ADMIN_TOKEN, body });
  edge.clock.now += 1_000;
  return issued.body.id as string;
};
const [amina, brian, chao, nobody] = ["amina", "brian", "chao", "nobody"].map((name) => `did:web:${name}.test`) as [
  string,
  string,
  string,
  string,
];

beforeAll(async () => {
  await issue(amina, "Amina's laptop");
  await edge.ask("PUT", `/v1/voters/${amina}`, { key: admin, body: { weight: 1, label: "Amina" } });
  await issue(brian, "Brian");
  const lost = await issue(brian, "Brian's lost phone");
  await edge.ask("DELETE", `/v1/api-keys/${lost}`, { key: ADMIN_TOKEN });
  const only = await issue(chao, "Chao, who has left");
  await edge.ask("PUT", `/v1/voters/${chao}`, { key: admin, body: { weight: 1, label: "" } });
  await edge.ask("DELETE", `/v1/api-keys/${only}`, { key: ADMIN_TOKEN });
});

test("the label of the roll comes before a key's label, and a valid key's before a revoked one's [RG-230]", async () => {
  const answer = await labels([brian, nobody, amina, chao, brian]);
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      data: [
        { did: brian, label: "Brian" },
        { did: amina, label: "Amina" },
        { did: chao, label: "Chao, who has left" },
      ],
    },
  ]);
});

test("accepts one to 50 DIDs, from keys that can read [RG-230]", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `did:web:person-${at}.test`);
  expect((await labels(many(1))).body).toEqual({ data: [] });
  expect((await labels(many(50))).status).toBe(200);
  expect((await labels(many(51))).status).toBe(400);
  expect((await labels([])).status).toBe(400);
  expect((await labels(["amina"])).status).toBe(400);
  expect((await labels([amina], voter)).status).toBe(403);
});
