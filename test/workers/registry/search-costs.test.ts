/** What full-text search may cost, over D1 with 6,000 domains. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { manyDomains } from "../../support/registry/many-domains.ts";

const many = manyDomains();
const { DOMAINS, recorded, edge, readRows } = many;

describe("full text [RG-173]", () => {
  const ask = (query: string) => edge.ask("GET", `/v1/domains?${query}`, { key: many.key });

  test("of many matches is shown by relevance, and refused in another order", async () => {
    expect((await ask("q=stove&limit=2")).body.data).toHaveLength(2);
    const refused = await ask("q=stove&sort=name");
    expect([refused.status, refused.body.code]).toEqual([400, "query_too_costly"]);
    expect(refused.body.detail ?? refused.body.title).toMatch(/add a word, or omit sort/);
    expect((await ask("q=stove+59&sort=name")).body.data.length).toBeGreaterThan(5);
    expect((await ask("q=stove&count=true&limit=1")).body.page.total).toBe(DOMAINS);
  });

  test("with filters walks its matches, each once, the newest first", async () => {
    const walked: string[] = [];
    for (let path: string | undefined = "/v1/domains?q=stove&status=suspended&limit=7"; path !== undefined;) {
      const page = await edge.ask("GET", path, { key: many.key });
      walked.push(...page.body.data.map(({ externalId }: { externalId: string }) => externalId));
      path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(walked).toEqual(Array.from({ length: 60 }, (_, at) => `serial-${5_900 - at * 100}`));
    expect((await ask("q=stove&status=suspended&count=true&limit=1")).body.page.total).toBe(60);
  });

  test.each([
    ["class=did:ixo:protocol:99", []],
    ["verificationStatus=Rejected", []],
    ["type=device&verificationStatus=Rejected", []],
    ["externalId=serial-17", [17]],
    ["externalId=serial-17&externalId=serial-4001&status=active", [4_001, 17]],
    ["externalId=serial-17&type=device", []],
  ])("beside %s reads the rows of the filter, and not those of the words [RG-218]", async (filter, numbers) => {
    const found = numbers.map((number) => `serial-${number}`);
    const page = await ask(`q=stove&count=true&limit=100&${filter}`);
    expect(page.body.data.map(({ externalId }: { externalId: string }) => externalId)).toEqual(found);
    expect(page.body.page.total).toBe(found.length);
    const looked = recorded.ran.filter(({ text }) => text.includes("walk_"));
    // Reads only the part of the index between the first and the last row of the filter, which is small for one row.
    const isLittle = looked.reduce((sum, { rowsRead }) => sum + rowsRead, 0) < 20;
    expect(isLittle).toBe(numbers.length < 2);
  });

  test("a later page of a search begins where the one before ended [RG-80]", async () => {
    let path: string | undefined = "/v1/domains?q=stove&limit=100";
    const reads: number[] = [];
    while (path !== undefined && reads.length < 50) {
      recorded.ran.length = 0;
      const page = await edge.ask("GET", path, { key: many.key });
      reads.push(readRows());
      path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(reads).toHaveLength(50);
    expect(Math.max(...reads)).toBeLessThan(700);
  });

  test("beside a filter that matches few shows matches in the name first, page by page [RG-218]", async () => {
    const walked: string[] = [];
    for (
      let path: string | undefined = "/v1/domains?q=improved&class=did:ixo:protocol:7&limit=99";
      path !== undefined;
    ) {
      const page = await edge.ask("GET", path, { key: many.key });
      walked.push(...page.body.data.map(({ externalId }: { externalId: string }) => externalId));
      path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(walked).toEqual(Array.from({ length: 600 }, (_, at) => `serial-${5_997 - at * 10}`));
    await env.DATABASE.batch([
      env.DATABASE.prepare(
        "UPDATE domain_search SET name = 'improved stove' WHERE rowid = (SELECT number FROM domains WHERE external_id = 'serial-17')",
      ),
    ]);
    const first = await ask("q=improved&class=did:ixo:protocol:7&limit=2");
    expect(first.body.data.map(({ externalId }: { externalId: string }) => externalId)).toEqual([
      "serial-17",
      "serial-5997",
    ]);
    await env.DATABASE.batch([
      env.DATABASE.prepare(
        "UPDATE domain_search SET name = 'stove 17' WHERE rowid = (SELECT number FROM domains WHERE external_id = 'serial-17')",
      ),
    ]);
  });

  test("reads no row of a domain that has the words alone [RG-218]", async () => {
    const page = await ask("q=improved&class=did:ixo:protocol:7&limit=100&count=true");
    expect([page.body.data.length, page.body.page.total]).toEqual([100, 600]);
    const walks = recorded.ran.filter(({ text }) => text.includes("walk_"));
    expect(walks.length).toBeGreaterThan(1);
    expect(
      walks.every(
        ({ text }) => text.includes("IN (SELECT CAST(value AS INTEGER) FROM json_each(") && !text.includes("class"),
      ),
    ).toBe(true);
  });

  test("finds nothing by what every id has, and no beginnings of one letter [RG-77]", async () => {
    for (const words of ["did", "DID ixo", "did:ixo:entity:"]) {
      expect(await ask(`q=${encodeURIComponent(words)}`)).toMatchObject({
        status: 400,
        body: { errors: [{ parameter: "q" }] },
      });
    }
    const id = `did:ixo:entity:${(77).toString(16).padStart(32, "0")}`;
    expect((await ask(`q=${encodeURIComponent(id)}`)).body.data.map((each: { id: string }) => each.id)).toEqual([id]);
    expect((await ask("q=s")).body.data).toEqual([]);
    expect((await ask("q=st")).body.data.length).toBeGreaterThan(0);
  });
});
