/** The history of a domain over its routes. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:history.test";
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
});

async function newDomain() {
  const body = { type: "Project", class: "did:ixo:protocol/cooking", metadata: { name: "A", "a/b~c": { d: 1 } } };
  return (await edge.ask("POST", "/v1/domains", { key, body })).body;
}

async function patch(id: string, body: object) {
  edge.clock.now += 60_000;
  return (await edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": "*" }, body })).body;
}

const read = async (path: string) => edge.ask("GET", path, { key });

test("reports who did what when, newest first, as JSON pointers into the record [RG-82]", async () => {
  const { id, versionId } = await newDomain();
  const second = await patch(id, { metadata: { "a/b~c": { d: null, e: [1] } }, externalId: "x" });
  const { body } = await read(`/v1/domains/${id}/history`);
  expect(body.page).toEqual({ limit: 20, hasMore: false, nextCursor: null });
  const [latest, first] = body.data;
  expect(latest).toEqual({
    version: 2,
    versionId: second.versionId,
    at: second.updatedAt,
    actor: OWNER,
    action: "updated",
    changes: [
      { path: "/metadata/a~1b~0c/d", from: 1, to: null },
      { path: "/metadata/a~1b~0c/e", from: null, to: [1] },
      { path: "/externalId", from: null, to: "x" },
    ],
    reason: null,
    proposalId: null,
  });
  expect(first).toMatchObject({ version: 1, versionId, action: "created", at: second.createdAt });
  expect(first.changes).toContainEqual({ path: "/type", from: null, to: "Project" });
});

test("each version can be read whole, as it was returned then [RG-83]", async () => {
  const answers = [await newDomain()];
  const { id } = answers[0];
  for (const n of [1, 2, 3]) answers.push(await patch(id, { metadata: { n } }));
  for (const answer of answers) {
    const { status, body } = await read(`/v1/domains/${id}/history/${answer.version}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: answer.version, versionId: answer.versionId });
    expect(body.record).toEqual(answer);
  }
  for (const version of ["0", "5", "x", "1.0", "99999999999"]) {
    expect(await read(`/v1/domains/${id}/history/${version}`)).toMatchObject({ status: 404 });
  }
});

test("is paged like any list, and its cursor is valid only for this domain", async () => {
  const { id } = await newDomain();
  for (let n = 0; n < 5; n += 1) await patch(id, { metadata: { n } });
  const met: number[] = [];
  let path: string | undefined = `/v1/domains/${id}/history?limit=2`;
  while (path !== undefined) {
    const page = await read(path);
    met.push(...page.body.data.map(({ version }: { version: number }) => version));
    path = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1];
    // Newer versions do not shift the next pages.
    await patch(id, { metadata: { more: met.length } });
  }
  expect(met).toEqual([6, 5, 4, 3, 2, 1]);
  const { body } = await read(`/v1/domains/${id}/history?limit=1`);
  const other = await newDomain();
  const foreign = await read(`/v1/domains/${other.id}/history?cursor=${body.page.nextCursor}`);
  expect(foreign).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
});

test("of an unknown domain is not found", async () => {
  const id = `did:ixo:entity:${"0".repeat(32)}`;
  expect(await read(`/v1/domains/${id}/history`)).toMatchObject({ status: 404 });
  expect(await read(`/v1/domains/${id}/history/1`)).toMatchObject({ status: 404 });
  expect(await read("/v1/domains/nothing/history")).toMatchObject({ status: 400, body: { code: "invalid_did" } });
});

test("a page of large changes ends early, and the walk misses none [RG-80]", async () => {
  const { id } = await newDomain();
  const padding = (letter: string) => ({ metadata: { padding: letter.repeat(60_000) } });
  // Each contains the old text and the new one: 120 KB, so 70 of them exceed a page.
  for (let at = 0; at < 80; at += 1) await patch(id, padding(at % 2 === 0 ? "a" : "b"));
  const versions: number[] = [];
  const sizes: number[] = [];
  for (let path: string | undefined = `/v1/domains/${id}/history?limit=100`; path !== undefined;) {
    const { body } = await read(path);
    versions.push(...body.data.map(({ version }: { version: number }) => version));
    sizes.push(body.data.length);
    path = body.page.hasMore ? `/v1/domains/${id}/history?limit=100&cursor=${body.page.nextCursor}` : undefined;
  }
  expect(versions).toEqual(Array.from({ length: 81 }, (_, at) => 81 - at));
  expect(sizes).toEqual([70, 11]);
});
