/** A domain as a file over the routes. Unit tests check the file's content. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf("did:web:files.test", ["domains:write"]);
});

async function create(metadata: object = {}): Promise<string> {
  const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata };
  return `/v1/domains/${(await edge.ask("POST", "/v1/domains", { key, body })).body.id}/domain.md`;
}

function write(path: string, body: string, ifMatch = "*", headers: Record<string, string> = {}) {
  return edge.ask("PUT", path, {
    key,
    body,
    headers: { "Content-Type": "text/markdown", "If-Match": ifMatch, ...headers },
  });
}

test("a domain is served as a file that no browser renders as a page [RG-137]", async () => {
  const path = await create({ name: "Stoves --- <b>", body: "Hello\n" });
  const answer = await edge.call("GET", path, { key });
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/markdown; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-disposition": 'inline; filename="domain.md"',
    etag: '"v1"',
    "cache-control": "private, no-cache",
  });
  expect(await answer.text()).toMatch(/^---\n_domain:\n[^]*\nname: "Stoves --- <b>"\n---\n\nHello\n\n$/);
  const known = await edge.call("GET", path, { key, headers: { "If-None-Match": '"v1"' } });
  expect(known.status).toBe(304);
});

test("written back unchanged it makes no version; a changed file replaces the whole metadata [RG-137, RG-138]", async () => {
  const path = await create({ name: "One", gone: { soon: true } });
  const text = await (await edge.call("GET", path, { key })).text();
  const same = await write(path, text, '"v1"');
  expect([same.status, same.body.version, same.headers.get("ETag")]).toEqual([200, 1, '"v1"']);
  const changed = await write(path, "---\nname: Two\n---\n\nBody\n", '"v1"');
  expect(changed).toMatchObject({
    status: 200,
    body: { version: 2, name: "Two", metadata: { name: "Two", body: "Body" } },
  });
  expect(changed.headers.get("ETag")).toBe('"v2"');
  const history = await edge.ask("GET", `/v1/domains/${changed.body.id}/history`, { key });
  expect(history.body.data[0]).toMatchObject({ action: "updated", version: 2 });
  const posted = await edge.ask("POST", path, {
    key,
    body: "---\nname: Three\n---\n",
    headers: { "If-Match": '"v2"' },
  });
  expect(posted.body).toMatchObject({ version: 3, metadata: { name: "Three" } });
});

describe("has the preconditions and rights of a change", () => {
  test("428, 412, and one of two concurrent writes [RG-61, RG-138]", async () => {
    const path = await create();
    expect((await edge.ask("PUT", path, { key, body: "---\n---\n" })).status).toBe(428);
    expect((await write(path, "---\n---\n", '"v9"')).status).toBe(412);
    const answers = await Promise.all([1, 2, 3].map((number) => write(path, `---\nn: ${number}\n---\n`, '"v1"')));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412, 412]);
  });

  test("403 for a stranger, 409 for a deactivated domain", async () => {
    const path = await create();
    const stranger = await edge.keyOf("did:web:stranger.test", ["domains:write"]);
    const headers = { "If-Match": "*", "Content-Type": "text/markdown" };
    const refused = await edge.ask("PUT", path, { key: stranger, body: "---\n---\n", headers });
    expect(refused.body.code).toBe("not_controller");
    expect((await edge.ask("GET", path)).status).toBe(401);
    await edge.ask("DELETE", path.replace("/domain.md", ""), { key, headers: { "If-Match": "*" } });
    expect((await write(path, "---\nname: x\n---\n")).body.code).toBe("domain_deactivated");
    expect((await edge.ask("GET", "/v1/domains/did:ixo:entity:none/domain.md", { key })).status).toBe(404);
  });
});

describe("limits", () => {
  test("accepts 1 MiB and refuses one byte more; metadata keeps its own limit [RG-138]", async () => {
    const path = await create();
    const start = "---\nname: x\n---\n";
    const limit = 1024 * 1024;
    const refused = await write(path, start.padEnd(limit, "x"));
    expect(refused.body).toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/metadata", code: "length" }],
    });
    expect((await write(path, start.padEnd(limit + 1, "x"))).body.code).toBe("body_too_large");
  });

  test("415 for a wrong media type, 400 for an invalid file", async () => {
    const path = await create();
    const json = await write(path, "{}", "*", { "Content-Type": "application/json" });
    expect([json.status, json.headers.get("Accept-Post")]).toEqual([415, "text/markdown"]);
    expect((await write(path, "no front matter")).body.code).toBe("validation_failed");
    expect((await write(path, "---\na: *b\n---\n")).body.code).toBe("validation_failed");
  });
});
