/** Concurrent writers and walkers. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf("did:web:races.test", ["domains:write"]);
});

async function newDomain(more: object = {}): Promise<string> {
  const body = { type: "Project", class: "did:ixo:protocol/cooking", ...more };
  return (await edge.ask("POST", "/v1/domains", { key, body })).body.id;
}

function patch(id: string, ifMatch: string, metadata: object) {
  return edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": ifMatch }, body: { metadata } });
}

const count = (length: number) => Array.from({ length }, (_, at) => at);

test("of 50 patches with one tag one wins, and the history has one row for it [RG-70]", async () => {
  const id = await newDomain();
  const answers = await Promise.all(count(50).map((at) => patch(id, '"v1"', { winner: at })));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
  expect((await edge.ask("GET", `/v1/domains/${id}`, { key })).body).toEqual(won[0]?.body);
  const history = await edge.ask("GET", `/v1/domains/${id}/history`, { key });
  expect(history.body.data.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
});

/** Concurrent clients. With all 50 in step, the test would time the losers' retries instead of the registry. */
const LANES = 5;

test("50 clients that read, patch and retry lose nothing [RG-70]", async () => {
  const id = await newDomain();
  const addMember = async (at: number): Promise<void> => {
    for (;;) {
      const read = await edge.ask("GET", `/v1/domains/${id}`, { key });
      const { status } = await patch(id, read.headers.get("ETag") ?? "", { [`m${at}`]: at });
      if (status === 200) return;
      expect(status).toBe(412);
    }
  };
  const clients = count(50).values();
  const lane = async (): Promise<void> => {
    for (const client of clients) await addMember(client);
  };
  await Promise.all(count(LANES).map(lane));
  const { body } = await edge.ask("GET", `/v1/domains/${id}`, { key });
  expect(body.version).toBe(51);
  expect(body.metadata).toEqual(Object.fromEntries(count(50).map((at) => [`m${at}`, at])));
});

test("50 concurrent patches with If-Match: * are all stored, one after the other [RG-71]", async () => {
  const id = await newDomain();
  const answers = await Promise.all(count(50).map((at) => patch(id, "*", { [`m${at}`]: at })));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const { body } = await edge.ask("GET", `/v1/domains/${id}`, { key });
  expect(body.version).toBe(51);
  expect(body.metadata).toEqual(Object.fromEntries(count(50).map((at) => [`m${at}`, at])));
});

test("a walk meets each domain that existed at its start once, whatever is created meanwhile [RG-78]", async () => {
  const type = "races-walk";
  const old: string[] = [];
  for (const at of count(40)) {
    edge.clock.now += at % 3;
    old.push(await newDomain({ type, metadata: { name: `n${at % 7}` } }));
  }
  for (const sort of ["-createdAt", "createdAt", "name", "-name", "id", "-updatedAt"]) {
    const met: string[] = [];
    let path: string | undefined = `/v1/domains?type=${type}&sort=${sort}&limit=7`;
    while (path !== undefined) {
      const page = await edge.ask("GET", path, { key });
      expect(page.status).toBe(200);
      met.push(...page.body.data.map(({ id }: { id: string }) => id));
      if (met.length < 25) await Promise.all(count(3).map((at) => newDomain({ type, metadata: { name: `n${at}` } })));
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(met.filter((id) => old.includes(id)).toSorted(), sort).toEqual(old.toSorted());
    expect(new Set(met).size, sort).toBe(met.length);
  }
});

test("one Idempotency-Key creates one domain, however often and concurrently it is sent [RG-73]", async () => {
  const type = "races-idempotent";
  const headers = { "Idempotency-Key": "k-1" };
  const create = (name: string) =>
    edge.ask("POST", "/v1/domains", { key, headers, body: { type, class: "did:a:b", metadata: { name } } });
  const answers = await Promise.all(count(20).map(() => create("one")));
  expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  expect(answers.filter((answer) => answer.headers.get("Idempotent-Replayed") === "true")).toHaveLength(19);
  expect(await create("other")).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
  expect((await edge.ask("GET", `/v1/domains?type=${type}`, { key })).body.data).toHaveLength(1);
});

test("the change feed has one entry per step, in the order of each domain's versions [RG-84]", async () => {
  const id = await newDomain();
  await Promise.all(count(10).map((at) => patch(id, "*", { [`x${at}`]: 1 })));
  const { results } = await DATABASE.prepare("SELECT version FROM changes WHERE domain_id = ? ORDER BY seq")
    .bind(id)
    .all<{ version: number }>();
  const { body } = await edge.ask("GET", `/v1/domains/${id}`, { key });
  expect(results.map(({ version }) => version)).toEqual(count(body.version).map((at) => at + 1));
});
