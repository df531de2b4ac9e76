/** The list of domains, and query plans whose cost does not grow with the table. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { sortFields } from "../../../workers/registry/lists/domain-query.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
const TYPE = "list-test";
const CLASS = "did:ixo:protocol/list-test";
let key = "";

/** Ids in the order of their creation. */
const ids: string[] = [];

const names = ["Água Limpa", "Bread oven", null, "Cook stove", "bread OVEN two", null];

beforeAll(async () => {
  key = await edge.keyOf("did:web:list.test", ["domains:write"]);
  for (const [at, name] of names.entries()) {
    edge.clock.now += 1_000;
    const body = {
      type: TYPE,
      class: CLASS,
      controllers: [`did:web:list-${at % 2}.test`, "did:web:list-all.test"],
      externalId: `serial-${at}`,
      relayerNode: `did:web:relay-${at % 3}.test`,
      metadata: { ...(name === null ? {} : { name }), a: { b: { c: { d: "toodeep" }, c2: "deepenough" } }, n: at },
      ...(at < 2 ? { validFrom: `2026-0${at + 1}-01`, validUntil: `2027-0${at + 1}-01` } : {}),
    };
    const created = await edge.ask("POST", "/v1/domains", { key, body });
    ids.push(created.body.id);
  }
});

/** The positions of the found domains in `ids`. */
async function found(query: string): Promise<number[]> {
  const answer = await edge.ask("GET", `/v1/domains?type=${TYPE}&${query}`, { key });
  expect(answer.body, query).toHaveProperty("data");
  return answer.body.data.map(({ id }: { id: string }) => ids.indexOf(id));
}

test.each([
  ["", [5, 4, 3, 2, 1, 0]],
  ["sort=createdAt", [0, 1, 2, 3, 4, 5]],
  ["sort=name", [1, 3, 4, 0, 2, 5]],
  ["sort=-name", [0, 4, 3, 1, 5, 2]],
  ["sort=validUntil", [0, 1, 2, 3, 4, 5]],
  ["sort=-validFrom", [1, 0, 5, 4, 3, 2]],
])("nulls come last, equal values are ordered by id: %s [RG-78]", async (query, expected) => {
  const byId = (one: number, other: number) => (ids[one] ?? "").localeCompare(ids[other] ?? "");
  const places = await found(query);
  // The ids are random, so among domains without a key only their order by id is known.
  const nameless = query.includes("name") ? [2, 5] : [2, 3, 4, 5];
  const direction = query.includes("-") ? -1 : 1;
  const tied =
    query === "" || query.includes("created")
      ? expected
      : [
          ...expected.filter((at) => !nameless.includes(at)),
          ...nameless.toSorted((one, other) => direction * byId(one, other)),
        ];
  expect(places).toEqual(tied);
});

test.each([
  [`class=${encodeURIComponent(CLASS)}`, 6],
  [`protocol=${encodeURIComponent(CLASS)}&class=did:a:b`, 6],
  ["class=did:a:b", 0],
  ["controller=did:web:list-0.test", 3],
  ["controller=did:web:list-0.test&controller=did:web:list-1.test&controller=did:web:list-all.test", 6],
  ["owner=did:web:list.test", 6],
  ["relayerNode=did:web:relay-0.test&relayerNode=did:web:relay-1.test", 4],
  ["externalId=serial-3", 1],
  ["externalId=serial-3&sort=name", 1],
  ["status=ACTIVE", 6],
  ["status=suspended&status=deactivated", 0],
  ["verificationStatus=awaitingverification&controller=did:web:list-1.test", 3],
  ["validAt=2026-01-31", 5],
  ["validAt=2026-02-01", 6],
  ["validAt=2027-01-01T00:00:00Z", 5],
  ["createdFrom=2026-11-21T09:00:02Z&createdTo=2026-11-21T09:00:04Z", 2],
  ["createdFrom=2026-11-21T09:00:02Z&sort=name", 5],
  ["updatedTo=2026-11-21T09:00:02Z", 1],
  ["type=list-none", 6],
  ["type=LIST-TEST&type=list-none&sort=id", 6],
])("filter %s finds %i [RG-76]", async (query, expected) => {
  expect(await found(query)).toHaveLength(expected);
});

describe("full text [RG-77]", () => {
  test.each([
    ["agua", [0]],
    ["ÁGUA limp", [0]],
    ["bread", [4, 1]],
    ["oven tw", [4]],
    ["bre ove", []],
    ["deepenough", [5, 4, 3, 2, 1, 0]],
    ["toodeep", []],
    ["list test", [5, 4, 3, 2, 1, 0]],
    ['"bread" OR water*', []],
    ["name:bread", []],
    ["bread -oven", [4, 1]],
    ["NOT NEAR AND bread", []],
    ["bread' OR 1=1 --", []],
  ])("%j finds %j", async (text, expected) => {
    expect(await found(`q=${encodeURIComponent(text)}`)).toEqual(expected);
  });

  test("a match in the name comes before a match elsewhere, and a walk meets both once", async () => {
    const word = "zzyzx";
    const create = async (metadata: object) =>
      (await edge.ask("POST", "/v1/domains", { key, body: { type: "ranked", class: CLASS, metadata } })).body.id;
    const inName = [await create({ name: `${word} one` }), await create({ name: `The ${word}` })].toReversed();
    const elsewhere = [await create({ note: word }), await create({ note: `${word}ology` })].toReversed();
    const met: string[] = [];
    let path: string | undefined = `/v1/domains?q=${word}&limit=1&count=true`;
    while (path !== undefined) {
      const page = await edge.ask("GET", path, { key });
      expect(page.body.page.total).toBe(4);
      met.push(page.body.data[0].id);
      path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(met).toEqual([...inName, ...elsewhere]);
  });

  test("a changed text is found by its new words only", async () => {
    const created = await edge.ask("POST", "/v1/domains", {
      key,
      body: { type: "t", class: CLASS, metadata: { name: "quondam" } },
    });
    const headers = { "If-Match": "*" };
    await edge.ask("PATCH", `/v1/domains/${created.body.id}`, {
      key,
      headers,
      body: { metadata: { name: "hodiernal" } },
    });
    const hits = async (q: string) => (await edge.ask("GET", `/v1/domains?q=${q}`, { key })).body.data.length;
    expect([await hits("quondam"), await hits("hodiernal")]).toEqual([0, 1]);
  });
});

describe("pages", () => {
  test("limit is 1 to 100, and the last page has no cursor [RG-75, RG-79]", async () => {
    const page = await edge.ask("GET", `/v1/domains?type=${TYPE}&limit=6&count=true`, { key });
    expect(page.body.page).toEqual({ limit: 6, hasMore: false, nextCursor: null, total: 6 });
    expect(page.headers.get("Link")).toBeNull();
    const part = await edge.ask("GET", `/v1/domains?type=${TYPE}&limit=5`, { key });
    expect(part.body.page).toEqual({ limit: 5, hasMore: true, nextCursor: expect.any(String) });
    for (const limit of ["0", "101", "-1", "1.5", "x", ""]) {
      expect(await edge.ask("GET", `/v1/domains?limit=${limit}`, { key })).toMatchObject({ status: 400 });
    }
    expect(await edge.ask("GET", "/v1/domains?limit=100", { key })).toMatchObject({ status: 200 });
  });

  test.each(sortFields.filter((sort) => sort !== "relevance").flatMap((sort) => [sort, `-${sort}`]))(
    "a walk by %s, one a page, is the list [RG-78]",
    async (sort) => {
      const whole = await found(`sort=${sort}`);
      const walked: number[] = [];
      let path: string | undefined = `/v1/domains?type=${TYPE}&sort=${sort}&limit=1`;
      while (path !== undefined) {
        const page = await edge.ask("GET", path, { key });
        walked.push(...page.body.data.map(({ id }: { id: string }) => ids.indexOf(id)));
        path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
      }
      expect(walked).toEqual(whole);
      expect(walked.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5]);
    },
  );

  test("a cursor is valid only for its filters and its sort [RG-79]", async () => {
    const page = await edge.ask("GET", `/v1/domains?type=${TYPE}&limit=1`, { key });
    const cursor = page.body.page.nextCursor;
    const status = async (query: string) =>
      (await edge.ask("GET", `/v1/domains?${query}&cursor=${cursor}`, { key })).body.code;
    expect(await status(`type=${TYPE.toUpperCase()}&limit=2`)).toBeUndefined();
    expect(await status(`type=${TYPE}&sort=name`)).toBe("invalid_cursor");
    expect(await status(`type=${TYPE}&owner=did:a:b`)).toBe("invalid_cursor");
    expect(await status("limit=1")).toBe("invalid_cursor");
    const broken = await edge.ask("GET", `/v1/domains?cursor=${cursor.slice(0, -3)}`, { key });
    expect(broken).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });

  test.each([
    ["sort=colour", "sort"],
    ["sort=relevance", "sort"],
    ["status=happy", "status"],
    ["validAt=never", "validAt"],
    ["count=maybe", "count"],
    ["q=%21%21", "q"],
    [`q=${"a".repeat(201)}`, "q"],
    ["q=a&q=b", "q"],
    [Array.from({ length: 51 }, (_, at) => `owner=did:x:${at}`).join("&"), "owner"],
  ])("%.20s is refused [RG-76]", async (query, parameter) => {
    const refused = await edge.ask("GET", `/v1/domains?${query}`, { key });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ parameter }] } });
  });

  test("accepts 50 values and 200 characters", async () => {
    const values = Array.from({ length: 50 }, (_, at) => `owner=did:x:${at}`).join("&");
    expect(await edge.ask("GET", `/v1/domains?${values}`, { key })).toMatchObject({ status: 200 });
    expect(await edge.ask("GET", `/v1/domains?q=${"a".repeat(200)}`, { key })).toMatchObject({ status: 200 });
  });
});

test("a total counts each domain once, whichever filters find it", async () => {
  const [type, other] = ["counted-once", "counted-twice"];
  const both = { controllers: ["did:web:c1.test", "did:web:c2.test"] };
  for (const body of [
    { type, ...both },
    { type, ...both },
    { type: other, controllers: ["did:web:c2.test"] },
  ]) {
    await edge.ask("POST", "/v1/domains", { key, body: { class: "did:ixo:protocol:counted", ...body } });
  }
  const totalOf = async (query: string) =>
    (await edge.ask("GET", `/v1/domains?count=true&limit=1&${query}`, { key })).body.page.total;
  const controllers = "controller=did:web:c1.test&controller=did:web:c2.test";
  expect(await totalOf(controllers)).toBe(3);
  expect(await totalOf(`${controllers}&type=${type}`)).toBe(2);
  expect(await totalOf(`type=${type}&type=${type.toUpperCase()}&type=${other}`)).toBe(3);
  expect(await totalOf(`type=${type}&status=suspended`)).toBe(0);
  expect(await totalOf("class=did:ixo:protocol:counted&q=counted")).toBe(3);
});

test("times within one second are ordered by time, not by their texts", async () => {
  const start = Date.parse("2026-11-21T10:00:34Z");
  const type = "list-within-a-second";
  const texts = ["2026-11-21T10:00:34Z", "2026-11-21T10:00:34.001Z", "2026-11-21T10:00:34.01Z"];
  for (const [at, validFrom] of texts.entries()) {
    edge.clock.now = start + (at === 2 ? 10 : at);
    const body = { type, class: CLASS, validFrom };
    expect((await edge.ask("POST", "/v1/domains", { key, body })).status).toBe(201);
  }
  const { results } = await DATABASE.prepare("SELECT id FROM domains WHERE type = ? ORDER BY created_at")
    .bind(type)
    .all<{ id: string }>();
  const inTime = results.map(({ id }) => id);
  for (const sort of ["createdAt", "updatedAt", "validFrom"]) {
    const { body } = await edge.ask("GET", `/v1/domains?type=${type}&sort=${sort}`, { key });
    expect(
      body.data.map(({ id }: { id: string }) => id),
      sort,
    ).toEqual(inTime);
    const reversed = await edge.ask("GET", `/v1/domains?type=${type}&sort=-${sort}&limit=2`, { key });
    expect(
      reversed.body.data.map(({ id }: { id: string }) => id),
      `-${sort}`,
    ).toEqual(inTime.toReversed().slice(0, 2));
  }
  for (const order of ["CREATED_AT_ASC", "UPDATED_AT_ASC", "START_DATE_ASC"]) {
    const query = `{ entities(filter: { type: { equalTo: "${type}" } }, orderBy: ${order}) { nodes { id startDate } } }`;
    const { body } = await edge.ask("POST", "/graphql", { body: { query } });
    expect(
      body.data.entities.nodes.map(({ id }: { id: string }) => id),
      order,
    ).toEqual(inTime);
    expect(body.data.entities.nodes.map(({ startDate }: { startDate: string }) => startDate)).toEqual(texts);
  }
  const query = `{ entities(filter: { type: { equalTo: "${type}" }, startDate: { greaterThan: "${texts[0]}" } }) { totalCount } }`;
  expect((await edge.ask("POST", "/graphql", { body: { query } })).body.data.entities.totalCount).toBe(2);
});
