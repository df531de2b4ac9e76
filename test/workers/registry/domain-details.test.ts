/** Details of changing domains: ends of validity, `{id}` in keys, classes that name parts of a domain. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createRegistryFixture } from "../../support/registry/fixture.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf("did:web:details.test", ["domains:write"]);
});

async function newDomain(more: object = {}) {
  const body = { type: "Project", class: "did:ixo:protocol/cooking", ...more };
  const created = await edge.ask("POST", "/v1/domains", { key, body });
  expect(created.status).toBe(201);
  return created.body;
}

const patch = (id: string, body: object) =>
  edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": "*" }, body });

test("a validity that a patch ends has ended in its response: the tag is valid for the next patch", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  const service = `/v1/domains/${domainId}/services/issuance`;
  await fixture.ask("PUT", service, { key: fixture.controller, body: { enabled: true } });
  const ended = await fixture.patch(domainId, { validUntil: "2026-11-21T08:00:00Z" });
  expect(ended).toMatchObject({
    status: 200,
    body: { version: 6, services: { issuance: { enabled: false, disabledReason: "validity_ended" } } },
  });
  expect(await fixture.read(`/v1/domains/${domainId}`)).toEqual(ended.body);
  expect((await fixture.history(domainId)).slice(-2)).toEqual(["updated", "validity-ended"]);
  const next = await fixture.ask("PATCH", `/v1/domains/${domainId}`, {
    key: fixture.controller,
    headers: { "If-Match": String(ended.headers.get("ETag")) },
    body: { metadata: { n: 1 } },
  });
  expect(next.status).toBe(200);
});

describe("{id} stands for the domain in a verification method [RG-49]", () => {
  const method = { type: "T", publicKeyMultibase: "z6MkhaXgBZD" };

  test("as its id and as its controller, in every route that accepts one", async () => {
    const { id } = await newDomain({
      document: { verificationMethod: [{ ...method, id: "{id}#a", controller: "{id}" }] },
    });
    const put = await edge.ask("PUT", `/v1/domains/${id}/document/verificationMethod/%23b`, {
      key,
      headers: { "If-Match": "*" },
      body: { ...method, controller: "{id}" },
    });
    expect(put.status).toBe(201);
    expect(put.body.document.verificationMethod).toEqual([
      { id: `${id}#a`, controller: id, ...method },
      { id: "#b", controller: id, ...method },
    ]);
    const patched = await patch(id, {
      document: { verificationMethod: [{ ...method, id: "#c", controller: "{id}" }] },
    });
    expect(patched.body.document.verificationMethod).toEqual([{ id: "#c", controller: id, ...method }]);
  });
});

test.each(["", "#a", "/a", "?a=b", "/a?b#c"])(
  "a domain is never its own class: its id and %j [RG-66]",
  async (rest) => {
    const { id } = await newDomain();
    expect(await patch(id, { class: id + rest })).toMatchObject({ status: 400, body: { code: "class_cycle" } });
    expect(await patch(id, { class: `${id}0${rest}` })).toMatchObject({ status: 200 });
  },
);
