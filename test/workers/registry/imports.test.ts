/** Bulk import over the routes: every line by the rules of creation, once, whatever happens meanwhile. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { answeredLines, ndjsonOf } from "../../support/registry/ndjson.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const IMPORTER = "did:web:importer.test";
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(IMPORTER, ["registry:admin"]);
});

const minimal = { type: "Project", class: "did:ixo:protocol/clean-cooking" };
const headers = { "Content-Type": "application/x-ndjson" };
let imports = 0;
const freshId = () => `import.${(imports += 1)}`;

async function send(importId: string, lines: readonly unknown[], query = "") {
  const answer = await edge.call("POST", `/v1/imports/${importId}/lines${query}`, {
    key,
    headers,
    body: ndjsonOf(lines),
  });
  const received = await answeredLines(answer);
  return {
    status: answer.status,
    headers: answer.headers,
    reports: received.slice(0, -1),
    summary: received.at(-1)?.summary,
  };
}

async function countOf(type: string): Promise<number> {
  const { body } = await edge.ask("GET", `/v1/domains?type=${type}&count=true&limit=1`, { key });
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
      id === undefined ? undefined : (await edge.ask("GET", `/v1/domains/${id}`, { key })).body,
    ),
  );
  expect(first).toMatchObject({ name: "One", owner: IMPORTER, controllers: [IMPORTER], version: 1 });
  expect(fifth).toMatchObject({ owner: "did:web:owner.test", controllers: ["did:web:owner.test"], externalId: "x-1" });
  expect(eighth).toMatchObject({ owner: IMPORTER, controllers, verificationStatus: "AwaitingVerification" });
  const history = await edge.ask("GET", `/v1/domains/${fifth.id}/history`, { key });
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
    domain: { ...domain, number: 0, version_id: "", created_at: 0 },
    controllers: await read("SELECT * FROM domain_controllers WHERE domain_id = ? ORDER BY did"),
    search: await read("SELECT name, text FROM domain_search WHERE rowid = (SELECT number FROM domains WHERE id = ?)"),
    history: (await read("SELECT * FROM domain_history WHERE domain_id = ?")).map((row) => ({
      ...row,
      version_id: "",
      reason: "",
      snapshot: { ...JSON.parse(String(row.snapshot)), versionId: "" },
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
  const created = await edge.ask("POST", "/v1/domains", { key, body });
  const { reports } = await send(freshId(), [body]);
  expect(await rowsOf(reports[0].id)).toEqual(await rowsOf(created.body.id));
  const read = await edge.ask("GET", `/v1/domains/${reports[0].id}`, { key });
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
    const { body } = await edge.ask("GET", `/v1/imports/${id}`, { key });
    expect(body.done).toEqual([{ from: 1, to: 180 }]);
  });
});

test("an interrupted client can ask which lines are imported [RG-143]", async () => {
  const id = freshId();
  expect((await edge.ask("GET", `/v1/imports/${id}`, { key })).status).toBe(404);
  await send(id, [minimal, "x", minimal, "", minimal]);
  await send(id, [minimal, minimal], "?firstLine=41");
  const { body } = await edge.ask("GET", `/v1/imports/${id}`, { key });
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
  const rest = await edge.ask("GET", `/v1/imports/${id}?after=3`, { key });
  expect(rest.body.done).toEqual([
    { from: 5, to: 5 },
    { from: 41, to: 42 },
  ]);
  const listed = await edge.ask("GET", "/v1/imports?limit=1", { key });
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
  expect((await edge.ask("GET", `/v1/imports/${id}`, { key })).status).toBe(404);
});

describe("limits", () => {
  test("accepts 1,000 lines and refuses 1,001, counting blank ones; the final line break starts no new line [RG-142]", async () => {
    const lines = Array.from({ length: 1000 }, () => minimal);
    const passed = await send(freshId(), lines, "?dryRun=true");
    expect([passed.status, passed.summary.valid]).toEqual([200, 1000]);
    const body = ndjsonOf([...lines, minimal]);
    const refused = await edge.ask("POST", `/v1/imports/${freshId()}/lines`, { key, headers, body });
    expect(refused).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  test("accepts 4 MiB and refuses one byte more", async () => {
    const limit = 4 * 1024 * 1024;
    const line = `${JSON.stringify(minimal)}\n`;
    const body = line.padStart(limit, " ");
    for (const [text, status] of [
      [body, 200],
      [` ${body}`, 413],
    ] as const) {
      const answer = await edge.call("POST", `/v1/imports/${freshId()}/lines?dryRun=true`, {
        key,
        headers,
        body: text,
      });
      expect(answer.status).toBe(status);
      await answer.arrayBuffer();
    }
  });

  test("a line has the limit of a creation's body, 256 KiB, and the largest domains fit into one request", async () => {
    const large = { ...minimal, metadata: { text: "\u0001".repeat(10_000) } };
    const padded = (bytes: number) => `${JSON.stringify(minimal).slice(0, -1)},"x":"${"y".repeat(bytes)}"}`;
    const room = 256 * 1024 - padded(0).length;
    const { reports } = await send(freshId(), [
      padded(room),
      padded(room + 1),
      ...Array.from({ length: 40 }, () => large),
    ]);
    expect(reports.map(({ status, code }) => code ?? status)).toEqual([
      "created",
      "body_too_large",
      ...Array.from({ length: 40 }, () => "created"),
    ]);
  });

  test.each([
    ["?firstLine=0", 400],
    ["?firstLine=1000000001", 400],
    ["?firstLine=1000000000", 200],
    ["?dryRun=maybe", 400],
    ["?unknown=1", 400],
  ])("%s is %d", async (query, status) => {
    const answer = await edge.call("POST", `/v1/imports/${freshId()}/lines${query}`, { key, headers, body: "" });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });

  test.each([
    ["a".repeat(64), 200],
    ["a".repeat(65), 400],
    ["a%20b", 400],
  ])("the import id %s is %d", async (id, status) => {
    const answer = await edge.call("POST", `/v1/imports/${id}/lines`, { key, headers, body: "" });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });
});

test("accepts only NDJSON, and only from admins [RG-139]", async () => {
  const path = `/v1/imports/${freshId()}/lines`;
  const json = await edge.ask("POST", path, { key, body: minimal });
  expect([json.status, json.headers.get("Accept-Post")]).toEqual([415, "application/x-ndjson"]);
  const writer = await edge.keyOf(IMPORTER, ["domains:write"]);
  for (const [method, route] of [
    ["POST", path],
    ["GET", "/v1/imports"],
    ["GET", "/v1/imports/x"],
  ] as const) {
    const call = { key: writer, headers, ...(method === "POST" ? { body: "" } : {}) };
    expect(await edge.ask(method, route, call)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  }
});

test("a client that disconnects stops the work; stored lines are reported when it asks again", async () => {
  const id = freshId();
  const lines = Array.from({ length: 500 }, () => ({ ...minimal, type: "left" }));
  const answer = await edge.call("POST", `/v1/imports/${id}/lines`, { key, headers, body: ndjsonOf(lines) });
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(await countOf("left")).toBe(250);
  const { summary } = await send(id, lines);
  expect(summary).toMatchObject({ created: 250, existing: 250, failed: 0 });
});

test("an import id belongs to the DID of its key: others see none of its lines [RG-198]", async () => {
  const other = await edge.keyOf("did:web:other-importer.test", ["registry:admin"]);
  const second = await edge.keyOf(IMPORTER, ["registry:admin"]);
  const importId = freshId();
  const sendAs = async (sender: string, externalId: string) => {
    const body = ndjsonOf([{ ...minimal, externalId }]);
    const answer = await edge.call("POST", `/v1/imports/${importId}/lines`, { key: sender, headers, body });
    return (await answeredLines(answer))[0];
  };
  const mine = await sendAs(key, "mine");
  const theirs = await sendAs(other, "theirs");
  expect([mine.status, theirs.status]).toEqual(["created", "created"]);
  expect(theirs.id).not.toBe(mine.id);
  // Another key of this DID resumes it.
  expect(await sendAs(second, "mine")).toMatchObject({ status: "existing", id: mine.id });
  const ofOther = await edge.ask("GET", "/v1/imports", { key: other });
  expect(ofOther.body.data).toEqual([
    expect.objectContaining({ id: importId, createdBy: "did:web:other-importer.test" }),
  ]);
  expect((await edge.ask("GET", `/v1/imports/${importId}`, { key: other })).body).toMatchObject({
    id: importId,
    done: [{ from: 1, to: 1 }],
  });
});

test("an import that an older release began is resumed by its DID", async () => {
  const importId = freshId();
  const [line, text] = [1, JSON.stringify({ ...minimal, externalId: "old" })];
  const done = await send(importId, [JSON.parse(text)]);
  await DATABASE.batch([
    DATABASE.prepare("UPDATE imports SET id = ?1 WHERE id = ?2").bind(importId, `${importId} ${IMPORTER}`),
    DATABASE.prepare("UPDATE import_lines SET import_id = ?1 WHERE import_id = ?2").bind(
      importId,
      `${importId} ${IMPORTER}`,
    ),
  ]);
  const again = await send(importId, [JSON.parse(text)]);
  expect(again.reports).toEqual([{ line, status: "existing", id: done.reports[0].id }]);
  expect((await edge.ask("GET", `/v1/imports/${importId}`, { key })).body.id).toBe(importId);
});

test("an import of a file is found by one of its lines, among the caller's own imports only [RG-240]", async () => {
  const text = JSON.stringify({ ...minimal, metadata: { name: "Found by its line" } });
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const fingerprint = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const [first, second] = [freshId(), freshId()];
  for (const id of [first, second]) {
    const body = `${text}  \r\n`;
    await answeredLines(await edge.call("POST", `/v1/imports/${id}/lines?firstLine=7`, { key, headers, body }));
  }
  const found = async (query: string, by = key) => await edge.ask("GET", `/v1/imports?${query}`, { key: by });
  const { body } = await found(`line=7&fingerprint=${fingerprint}`);
  expect(body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual([first, second].toSorted());
  expect(body.page.nextCursor).toBeNull();
  expect((await found(`line=7&fingerprint=${fingerprint}&limit=1`)).body.data).toHaveLength(1);
  expect((await found(`line=8&fingerprint=${fingerprint}`)).body.data).toEqual([]);
  expect((await found(`line=7&fingerprint=${"0".repeat(64)}`)).body.data).toEqual([]);
  const other = await edge.keyOf("did:web:other-importer.test", ["registry:admin"]);
  expect((await found(`line=7&fingerprint=${fingerprint}`, other)).body.data).toEqual([]);
  for (const query of ["line=7", `fingerprint=${fingerprint}`, "line=7&fingerprint=x"])
    expect((await found(query)).status).toBe(400);
});
