/** The limits of a new domain, each at its edge. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:bounds.test";
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
});

const minimal = { type: "Project", class: "did:ixo:protocol/clean-cooking" };

async function create(body: unknown) {
  return edge.ask("POST", "/v1/domains", { key, body });
}

describe("metadata [RG-42, RG-36]", () => {
  const filled = (bytes: number) => ({ x: "a".repeat(bytes - '{"x":""}'.length) });
  test.each([
    ["none", {}, {}],
    ["65,536 bytes", filled(65_536), filled(65_536)],
    ["16 levels", nested(16), nested(16)],
    ["a name of 256 characters", { ["🎉".repeat(256)]: 1 }, { ["🎉".repeat(256)]: 1 }],
  ])("%s is stored unchanged", async (what, metadata, kept) => {
    const created = await create(what === "none" ? minimal : { ...minimal, metadata });
    expect(created).toMatchObject({ status: 201, body: { metadata: kept } });
  });

  test.each([
    ["a list", []],
    ["null", null],
    ["a text", "{}"],
    ["65,537 bytes", filled(65_537)],
    ["65,537 bytes in fewer characters", { x: `é${filled(65_535).x}` }],
    ["17 levels", nested(17)],
    ["a name of 257 characters", { ["n".repeat(257)]: 1 }],
  ])("%s is refused", async (_what, metadata) => {
    const refused = await create({ ...minimal, metadata });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: "/metadata" }] } });
  });

  test.each([
    ["__proto__", '{"a":{"__proto__":{"admin":true}}}'],
    ["a number beyond a double", '{"a":1e999}'],
    ["half a character", '{"a":"\\ud800"}'],
  ])("%s is refused", async (_what, metadata) => {
    const refused = await create(`{"type":"Project","class":"did:a:b","metadata":${metadata}}`);
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: expect.stringMatching(/^\/metadata\/a/) }] },
    });
  });

  test("ignored members can have any depth within the body's own limit", async () => {
    expect(await create({ ...minimal, unknown: nested(40) })).toMatchObject({ status: 201 });
    const deep = `{"type":"Project","class":"did:a:b","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    expect(await create(deep)).toMatchObject({ status: 400 });
  });
});

function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) };
}

test.each([
  ["zero width", "Proj\u200Bect"],
  ["a right-to-left mark", "\u202EProject"],
  ["a soft hyphen", "Pro\u00ADject"],
  ["a byte order mark", "Project\uFEFF!"],
  ["a tag", "Project\u{E0041}"],
  ["NUL", "Project\u0000x"],
  ["a control character", "Project\u0085x"],
])("names contain nothing invisible: %s [RG-197]", async (_name, text) => {
  const faultsOf = async (more: object) =>
    ((await create({ ...minimal, ...more })).body.errors ?? []).map(
      ({ pointer, code }: { pointer: string; code: string }) => `${code} ${pointer}`,
    );
  expect(await faultsOf({ type: text })).toEqual(["format /type"]);
  expect(await faultsOf({ externalId: text })).toEqual(["format /externalId"]);
  expect(await faultsOf({ credentials: [text] })).toEqual(["format /credentials/0/id"]);
  expect(await faultsOf({ accounts: [{ name: text, address: text }] })).toEqual([
    "format /accounts/0/name",
    "format /accounts/0/address",
  ]);
});

test("letters of every script name a type, even with marks after them [RG-197]", async () => {
  for (const type of ["Projet pilote", "مشروع", "परियोजना", "โครงการ", "プロジェクト", "e\u0301tude"]) {
    expect((await create({ ...minimal, type })).status).toBe(201);
  }
});

test("U+0000 is in no stored text [RG-197]", async () => {
  for (const metadata of [{ name: "a\u0000b" }, { "a\u0000b": 1 }, { list: [{ x: "\u0000" }] }]) {
    const { status, body } = await create({ ...minimal, metadata });
    expect([status, body.errors[0].code]).toEqual([400, "format"]);
  }
});

test("controllers: one or several, duplicates dropped, order kept, at most 16 [RG-44]", async () => {
  const dids = Array.from({ length: 17 }, (_, at) => `did:web:c${at}.test`);
  const given = (controllers: unknown) => create({ ...minimal, controllers });
  expect((await given([dids[1], dids[0], dids[1]])).body.controllers).toEqual([dids[1], dids[0]]);
  expect((await create({ ...minimal, controller: dids[3] })).body.controllers).toEqual([dids[3]]);
  expect((await given(dids.slice(0, 16))).status).toBe(201);
  expect((await given([...dids.slice(0, 16), dids[0]])).status).toBe(201);
  expect((await given(dids)).status).toBe(400);
  expect((await given([])).status).toBe(400);
  expect((await given(["not a did"])).body.errors).toMatchObject([{ pointer: "/controllers/0", code: "format" }]);
  expect((await create({ ...minimal, controllers: [dids[0]], controller: dids[1] })).status).toBe(400);
});

test("lists of small items, at their limits [RG-45, RG-48]", async () => {
  const credentials = Array.from({ length: 51 }, (_, at) => `urn:credential:${at}`);
  expect((await create({ ...minimal, credentials })).status).toBe(400);
  const created = await create({ ...minimal, credentials: credentials.slice(1), externalId: "x".repeat(128) });
  expect(created.body.credentials[0]).toEqual({
    id: "urn:credential:1",
    type: "VerifiableCredential",
    status: "unknown",
  });
  expect((await create({ ...minimal, externalId: "x".repeat(129) })).status).toBe(400);
  const account = { name: "treasury", address: "ixo1abc" };
  expect((await create({ ...minimal, accounts: [account] })).body.accounts).toEqual([account]);
  expect((await create({ ...minimal, accounts: [account, account] })).body.errors[0].code).toBe("duplicate");
});
