/** Imports and their ids: who sees one, how it is resumed and found, and the limits of a request. */
import { describe, expect, test } from "vitest";
import { answeredLines, ndjsonOf } from "../../support/registry/ndjson.ts";
import { importsForTests } from "../../support/registry/imports-for-tests.ts";

const importer = importsForTests();
const { DATABASE, IMPORTER, edge, minimal, headers, freshId, send } = importer;

describe("limits", () => {
  test("1,000 lines pass, 1,001 do not, blank ones counted; what ends the last line begins no other [RG-142]", async () => {
    const lines = Array.from({ length: 1000 }, () => minimal);
    const passed = await send(freshId(), lines, "?dryRun=true");
    expect([passed.status, passed.summary.valid]).toEqual([200, 1000]);
    const body = ndjsonOf([...lines, minimal]);
    const refused = await edge.ask("POST", `/v1/imports/${freshId()}/lines`, { key: importer.key, headers, body });
    expect(refused).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  test("4 MiB pass, one byte more does not", async () => {
    const limit = 4 * 1024 * 1024;
    const line = `${JSON.stringify(minimal)}\n`;
    const body = line.padStart(limit, " ");
    for (const [text, status] of [
      [body, 200],
      [` ${body}`, 413],
    ] as const) {
      const answer = await edge.call("POST", `/v1/imports/${freshId()}/lines?dryRun=true`, {
        key: importer.key,
        headers,
        body: text,
      });
      expect(answer.status).toBe(status);
      await answer.arrayBuffer();
    }
  });

  test("a line has the bound of a creation's body, 256 KiB, and the greatest domains go through together", async () => {
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
    const answer = await edge.call("POST", `/v1/imports/${freshId()}/lines${query}`, {
      key: importer.key,
      headers,
      body: "",
    });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });

  test.each([
    ["a".repeat(64), 200],
    ["a".repeat(65), 400],
    ["a%20b", 400],
  ])("the import id %s is %d", async (id, status) => {
    const answer = await edge.call("POST", `/v1/imports/${id}/lines`, { key: importer.key, headers, body: "" });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });
});

test("only NDJSON, only for admins [RG-139]", async () => {
  const path = `/v1/imports/${freshId()}/lines`;
  const json = await edge.ask("POST", path, { key: importer.key, body: minimal });
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

test("an import id belongs to the DID of its key: others see none of its lines [RG-198]", async () => {
  const other = await edge.keyOf("did:web:other-importer.test", ["registry:admin"]);
  const second = await edge.keyOf(IMPORTER, ["registry:admin"]);
  const importId = freshId();
  const sendAs = async (sender: string, externalId: string) => {
    const body = ndjsonOf([{ ...minimal, externalId }]);
    const answer = await edge.call("POST", `/v1/imports/${importId}/lines`, { key: sender, headers, body });
    return (await answeredLines(answer))[0];
  };
  const mine = await sendAs(importer.key, "mine");
  const theirs = await sendAs(other, "theirs");
  expect([mine.status, theirs.status]).toEqual(["created", "created"]);
  expect(theirs.id).not.toBe(mine.id);
  // Another key of the same DID resumes it.
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
  expect((await edge.ask("GET", `/v1/imports/${importId}`, { key: importer.key })).body.id).toBe(importId);
});

test("an import of the same file is found by one of its lines, among one's own imports only [RG-240]", async () => {
  const text = JSON.stringify({ ...minimal, metadata: { name: "Found by its line" } });
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const fingerprint = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const [first, second] = [freshId(), freshId()];
  for (const id of [first, second]) {
    const body = `${text}  \r\n`;
    await answeredLines(
      await edge.call("POST", `/v1/imports/${id}/lines?firstLine=7`, { key: importer.key, headers, body }),
    );
  }
  const found = async (query: string, by = importer.key) => await edge.ask("GET", `/v1/imports?${query}`, { key: by });
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
