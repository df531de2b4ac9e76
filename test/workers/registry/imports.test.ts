/** Bulk import over the routes: every line is created once by the rules of creation, whatever happens in between. */
import { describe, expect, test } from "vitest";
import { ndjsonOf } from "../../support/registry/ndjson.ts";
import { importsForTests } from "../../support/registry/imports-for-tests.ts";

const importer = importsForTests();
const { DATABASE, IMPORTER, edge, minimal, headers, freshId, send } = importer;

async function countOf(type: string): Promise<number> {
  const { body } = await edge.ask("GET", `/v1/domains?type=${type}&count=true&limit=1`, { key: importer.key });
  return body.page.total;
}

test("each line becomes a domain or gets a reason; a failed line does not stop the others [RG-139, RG-140]", async () => {
  const controllers = ["did:web:a.test", "did:web:b.test"];
  const {
    status,
    headers: received,
    reports,
    summary,
  } = await send("mixed", [
    { ...minimal, metadata: { name: "One" } },
    { type: "Project" },
    "{not json",
    "[]",
    { ...minimal, owner: "did:web:owner.test", externalId: "x-1" },
    { ...minimal, owner: "nobody", validFrom: "soon" },
    { ...minimal, controllers, validFrom: "2030-01-01", validUntil: "2029-01-01" },
    { ...minimal, controllers, id: "did:ixo:entity:ignored", verificationStatus: "Verified" },
  ]);
  expect([status, received.get("Content-Type")]).toEqual([200, "application/x-ndjson"]);
  expect(reports.map((report) => [report.line, report.status, report.code])).toEqual([
    [1, "created", undefined],
    [2, "failed", "validation_failed"],
    [3, "failed", "malformed_json"],
    [4, "failed", "validation_failed"],
    [5, "created", undefined],
    [6, "failed", "validation_failed"],
    [7, "failed", "validation_failed"],
    [8, "created", undefined],
  ]);
  expect(reports[5].errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(["/owner", "/validFrom"]);
  expect(summary).toEqual({ importId: "mixed", dryRun: false, lines: 8, created: 3, existing: 0, valid: 0, failed: 5 });

  const [first, , , , fifth, , , eighth] = await Promise.all(
    reports.map(async ({ id }) =>
      id === undefined ? undefined : (await edge.ask("GET", `/v1/domains/${id}`, { key: importer.key })).body,
    ),
  );
  expect(first).toMatchObject({ name: "One", owner: IMPORTER, controllers: [IMPORTER], version: 1 });
  expect(fifth).toMatchObject({ owner: "did:web:owner.test", controllers: ["did:web:owner.test"], externalId: "x-1" });
  expect(eighth).toMatchObject({ owner: IMPORTER, controllers, verificationStatus: "AwaitingVerification" });
  const history = await edge.ask("GET", `/v1/domains/${fifth.id}/history`, { key: importer.key });
  expect(history.body.data).toMatchObject([{ action: "created", actor: IMPORTER, reason: "Import mixed, line 5" }]);
});

/** All rows written for a domain, without the values that differ between domains. */
async function rowsOf(id: string) {
  const read = async (sql: string) => {
    const { results } = await DATABASE.prepare(sql).bind(id).all();
    return results.map((row) =>
      JSON.parse(JSON.stringify(row).replaceAll(id, "ID").replaceAll(id.slice(-32), "OWN ID")),
    );
  };
  const [domain] = await read("SELECT * FROM domains WHERE id = ?");
  return {
    domain: { ...domain, number: 0, id_bytes: "", version_id: "", created_at: 0 },
    controllers: await read("SELECT * FROM domain_controllers WHERE domain_id = ? ORDER BY did"),
    search: await read("SELECT name, text FROM domain_search WHERE rowid = (SELECT number FROM domains WHERE id = ?)"),
    history: (await read("SELECT * FROM domain_history WHERE domain_id = ?")).map((row) => ({
      ...row,
      version_id: "",
      reason: "",
    })),
    changes: (await read("SELECT * FROM changes WHERE domain_id = ?")).map((row) => ({ ...row, seq: 0 })),
  };
}

test("an imported domain has the rows of a created one in every table, hostile texts included", async () => {
  const body = {
    type: "asset/device",
    protocol: "did:ixo:protocol/x#y",
    metadata: { name: "a'b\"c\\d\n\u0001é😀", text: "'); DROP TABLE domains; --", n: [1e21, 0.1, null, true], o: {} },
    controllers: ["did:web:z.test", "did:web:a.test"],
    validFrom: "2026-01-01T00:00:00.5Z",
    validUntil: "2027-01-01",
    relayerNode: "did:web:relayer.test",
    externalId: "ser'ial",
    credentials: ["urn:c"],
    accounts: [{ name: "main", address: "x" }],
    document: { service: [{ id: "{id}#s", type: "T", serviceEndpoint: "https://a.test/" }], alsoKnownAs: ["urn:a"] },
  };
  const created = await edge.ask("POST", "/v1/domains", { key: importer.key, body });
  const { reports } = await send(freshId(), [body]);
  expect(await rowsOf(reports[0].id)).toEqual(await rowsOf(created.body.id));
  const read = await edge.ask("GET", `/v1/domains/${reports[0].id}`, { key: importer.key });
  expect(read.body.metadata).toEqual(body.metadata);
});

describe("a line is imported once [RG-141]", () => {
  test("sent again it is reported, not created again; another text under its number is refused", async () => {
    const id = freshId();
    const line = { ...minimal, type: "once" };
    const first = await send(id, [line, { type: "once" }]);
    const again = await send(id, [line, line]);
    expect(again.reports).toMatchObject([
      { line: 1, status: "existing", id: first.reports[0].id },
      { line: 2, status: "created" },
    ]);
    const other = await send(id, [{ ...line, externalId: "x" }]);
    expect(other.reports).toMatchObject([{ line: 1, status: "failed", code: "idempotency_mismatch" }]);
    expect((await send(freshId(), [line])).reports).toMatchObject([{ line: 1, status: "created" }]);
    expect(await countOf("once")).toBe(3);
  });

  test("five concurrent requests with equal lines create each domain once and return equal ids", async () => {
    const id = freshId();
    const lines = Array.from({ length: 600 }, (_, at) => ({ ...minimal, type: "raced", externalId: `r${at}` }));
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(id, lines)));
    const ids = answers.map(({ reports }) => reports.map((report) => report.id));
    expect(new Set(ids.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(new Set(ids[0]).size).toBe(600);
    expect(answers.reduce((total, { summary }) => total + summary.created, 0)).toBe(600);
    expect(await countOf("raced")).toBe(600);
  });

  test("overlapping parts of a file sent concurrently lose no line of either", async () => {
    const id = freshId();
    const line = (number: number) => ({ ...minimal, type: "overlapped", externalId: `${number}` });
    const part = (first: number) => Array.from({ length: 100 }, (_, at) => line(first + at));
    const answers = await Promise.all([1, 41, 81].map((first) => send(id, part(first), `?firstLine=${first}`)));
    expect(answers.flatMap(({ reports }) => reports.filter((report) => report.status === "failed"))).toEqual([]);
    expect(await countOf("overlapped")).toBe(180);
    const { body } = await edge.ask("GET", `/v1/imports/${id}`, { key: importer.key });
    expect(body.done).toEqual([{ from: 1, to: 180 }]);
  });
});

test("an interrupted client can ask which lines are imported [RG-143]", async () => {
  const id = freshId();
  expect((await edge.ask("GET", `/v1/imports/${id}`, { key: importer.key })).status).toBe(404);
  await send(id, [minimal, "x", minimal, "", minimal]);
  await send(id, [minimal, minimal], "?firstLine=41");
  const { body } = await edge.ask("GET", `/v1/imports/${id}`, { key: importer.key });
  expect(body).toEqual({
    id,
    createdBy: IMPORTER,
    createdAt: "2026-11-21T09:00:00Z",
    done: [
      { from: 1, to: 1 },
      { from: 3, to: 3 },
      { from: 5, to: 5 },
      { from: 41, to: 42 },
    ],
    nextAfter: null,
  });
  const rest = await edge.ask("GET", `/v1/imports/${id}?after=3`, { key: importer.key });
  expect(rest.body.done).toEqual([
    { from: 5, to: 5 },
    { from: 41, to: 42 },
  ]);
  const listed = await edge.ask("GET", "/v1/imports?limit=1", { key: importer.key });
  expect(listed.body).toMatchObject({ data: [{ createdBy: IMPORTER }], page: { hasMore: true } });
});

test("the report of a line names its unknown members, nested ones with their path [RG-217]", async () => {
  const service = { id: "{id}#s", type: "T", serviceEndpoint: "https://a.test", colour: "red" };
  const odd = { ...minimal, metdata: {}, owner: "did:web:owner.test", document: { service: [service] } };
  const ignored = { ignored: ["metdata", "document/service/colour"], didYouMean: { metdata: "metadata" } };
  const lines = [odd, minimal];
  const dry = await send(freshId(), lines, "?dryRun=true");
  expect(dry.reports).toMatchObject([
    { line: 1, status: "valid", ...ignored },
    { line: 2, status: "valid" },
  ]);
  const { reports } = await send(freshId(), lines);
  expect(reports).toMatchObject([
    { line: 1, status: "created", ...ignored },
    { line: 2, status: "created" },
  ]);
  expect(reports[1]).not.toHaveProperty("ignored");
});

test("a dry run checks and stores nothing, not even the import [RG-142]", async () => {
  const id = freshId();
  const { reports, summary } = await send(id, [{ ...minimal, type: "dry" }, { type: "dry" }], "?dryRun=true");
  expect(reports).toMatchObject([
    { line: 1, status: "valid" },
    { line: 2, status: "failed" },
  ]);
  expect(summary).toMatchObject({ dryRun: true, valid: 1, failed: 1, created: 0 });
  expect(await countOf("dry")).toBe(0);
  expect((await edge.ask("GET", `/v1/imports/${id}`, { key: importer.key })).status).toBe(404);
});

test("a client that disconnects stops the work; stored lines are reported when it asks again", async () => {
  const id = freshId();
  const lines = Array.from({ length: 500 }, () => ({ ...minimal, type: "left" }));
  const answer = await edge.call("POST", `/v1/imports/${id}/lines`, {
    key: importer.key,
    headers,
    body: ndjsonOf(lines),
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(await countOf("left")).toBe(250);
  const { summary } = await send(id, lines);
  expect(summary).toMatchObject({ created: 250, existing: 250, failed: 0 });
});
