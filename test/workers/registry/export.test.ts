/** Bulk export over the route: the list's filters, one domain per line, resumable, no work without a reader. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { answeredLines, ndjsonOf } from "../../support/registry/ndjson.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
let key = "";
let ids: readonly string[] = [];

/** More than several pages of the walk. */
const DOMAINS = 430;

beforeAll(async () => {
  key = await edge.keyOf("did:web:exporter.test", ["registry:admin"]);
  const lines = Array.from({ length: DOMAINS }, (_, at) => ({
    type: at % 2 === 0 ? "export/even" : "export/odd",
    class: "did:ixo:protocol/export",
    metadata: { name: at % 10 === 0 ? `Quelle ${at}` : `Domain ${at}`, note: at % 5 === 0 ? "Quelle" : "other" },
  }));
  const answer = await edge.call("POST", "/v1/imports/export-test/lines", {
    key,
    headers: { "Content-Type": "application/x-ndjson" },
    body: ndjsonOf(lines),
  });
  const reports = (await answeredLines(answer)).slice(0, -1);
  // All of one instant, so in the order of their ids.
  ids = reports.map(({ id }) => String(id)).toSorted();
});

const CLASS = "class=did:ixo:protocol/export";
async function exported(query: string) {
  const answer = await edge.call("GET", `/v1/export?${query}`, { key });
  return { status: answer.status, headers: answer.headers, domains: await answeredLines(answer) };
}

test("exports every domain once, as a single read returns it [RG-145]", async () => {
  const { status, headers, domains } = await exported(CLASS);
  expect([status, headers.get("Content-Type")]).toEqual([200, "application/x-ndjson"]);
  expect(domains.map(({ id }) => id)).toEqual(ids);
  const one = await edge.ask("GET", `/v1/domains/${ids[7]}`, { key });
  expect(domains[7]).toEqual(one.body);
});

test("accepts the list's filters", async () => {
  const { domains } = await exported(`${CLASS}&type=EXPORT/even&status=active`);
  expect(domains).toHaveLength(DOMAINS / 2);
  expect(new Set(domains.map(({ type }) => type))).toEqual(new Set(["export/even"]));
  expect((await exported(`${CLASS}&status=suspended`)).domains).toEqual([]);
});

describe("an interrupted export resumes after the last received domain [RG-145]", () => {
  test.each([0, 24, 25, 200, DOMAINS - 1])("after line %i", async (at) => {
    const { domains } = await exported(`${CLASS}&cursor=${ids[at]}`);
    expect(domains.map(({ id }) => id)).toEqual(ids.slice(at + 1));
  });

  test("by relevance too: matches in the name first, then the others", async () => {
    const whole = (await exported(`${CLASS}&q=quelle`)).domains;
    expect(whole).toHaveLength(DOMAINS / 5);
    expect(whole.slice(0, DOMAINS / 10).every(({ name }) => name.startsWith("Quelle"))).toBe(true);
    for (const at of [0, DOMAINS / 10 - 1, DOMAINS / 10, DOMAINS / 5 - 1]) {
      const { domains } = await exported(`${CLASS}&q=quelle&cursor=${whole[at].id}`);
      expect(domains).toEqual(whole.slice(at + 1));
    }
  });

  test("a cursor that is not a domain's id is refused", async () => {
    for (const cursor of ["x", `did:ixo:entity:${"0".repeat(32)}`]) {
      const refused = await edge.ask("GET", `/v1/export?cursor=${cursor}`, { key });
      expect(refused).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    }
  });
});

test("an export can be imported", async () => {
  const { domains } = await exported(`${CLASS}&type=export/odd`);
  const body = ndjsonOf(domains.slice(0, 100));
  const headers = { "Content-Type": "application/x-ndjson" };
  const answer = await edge.call("POST", "/v1/imports/back-again/lines?dryRun=true", { key, headers, body });
  expect((await answeredLines(answer)).at(-1).summary).toMatchObject({ valid: 100, failed: 0 });
});

test("a client that disconnects ends the walk, and one that does not read starts none", async () => {
  let reads = 0;
  const counting = new Proxy(DATABASE, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        if (name === "prepare" && String(values[0]).includes("FROM domains")) reads += 1;
        return Reflect.apply(member, target, values) as unknown;
      };
    },
  });
  const watched = registryEdge({ DATABASE: counting });
  const answer = await watched.call("GET", `/v1/export?${CLASS}`, { key });
  const reader = answer.body?.getReader();
  await reader?.read();
  const before = reads;
  await DATABASE.batch([DATABASE.prepare("SELECT 1"), DATABASE.prepare("SELECT 1")]);
  expect(reads).toBe(before);
  await reader?.cancel();
  await DATABASE.batch([DATABASE.prepare("SELECT 1"), DATABASE.prepare("SELECT 1")]);
  expect(reads).toBe(before);
  await (await watched.call("GET", `/v1/export?${CLASS}`, { key })).arrayBuffer();
  expect(reads - before).toBeGreaterThan(before);
});

test.each(["sort=name", "limit=5", "count=true", "foo=1"])("%s is not a parameter of an export", async (query) => {
  const refused = await edge.ask("GET", `/v1/export?${query}`, { key });
  expect(refused).toMatchObject({ status: 400, body: { code: "unknown_parameter" } });
});

test("requires domains:read and reports a wrong filter before it begins", async () => {
  const voter = await edge.keyOf("did:web:voter.test", ["verification:vote"]);
  expect((await edge.ask("GET", "/v1/export", { key: voter })).status).toBe(403);
  expect((await edge.ask("GET", "/v1/export")).status).toBe(401);
  expect((await edge.ask("GET", "/v1/export?status=odd", { key })).status).toBe(400);
});
