/** Reading and restoring a deployment over the routes of staff: tables, objects, repeated requests and refusals. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { BackupRpc } from "../../../platform/backup/backup-rpc.ts";
import type { ObjectPage } from "../../../platform/backup/object-page.ts";
import { emptyDatabase } from "../../support/storage/empty-database.ts";
import { staffEdge, ADMIN_TOKEN } from "../../support/staff/staff-edge.ts";

const edge = staffEdge();
const OPERATOR = { Authorization: `Bearer ${ADMIN_TOKEN}` };
const database = env.DATABASE;

const post = (path: string, body: object) => edge.browser().call("POST", path, { body, headers: OPERATOR });

function rpcOf(binding: "USER_VAULT" | "CREDIT_LEDGER" | "OUTBOX", name: string): BackupRpc {
  return (env[binding] as unknown as { getByName(name: string): BackupRpc }).getByName(name);
}

async function begun(): Promise<string> {
  const { status, body } = await post("/staff/backups", {});
  expect(status).toBe(201);
  return body.backup;
}

async function allPages(object: BackupRpc): Promise<readonly ObjectPage[]> {
  const pages: ObjectPage[] = [];
  for (let cursor: string | null = null; ;) {
    const page: ObjectPage | null = await object.exportRows(cursor);
    if (page === null) return pages;
    pages.push(page);
    cursor = page.next;
    if (cursor === null) return pages;
  }
}

describe("objects", () => {
  const did = `did:key:${crypto.randomUUID()}`;
  const vault = env.USER_VAULT.getByName(did);

  test("a user's object lists itself while it holds data, and gives back all rows [ALL-92, ALL-93]", async () => {
    const listed = () =>
      database
        .prepare("SELECT name FROM stored_objects WHERE class = 'UserVault' AND name = ?1")
        .bind(did)
        .first("name");
    await vault.countRequest(100);
    expect(await listed()).toBe(null);
    for (let number = 0; number < 20; number += 1) {
      const text = `wörd ${number} 'quoted' \u0000`;
      expect(await vault.putPluginText("memory", `text-${number}`, text, "{}")).toMatchObject({ ok: true });
      const value = JSON.stringify("é".repeat(60_000) + number);
      expect(await vault.setPluginValue("memory", `key-${number}`, value)).toMatchObject({ ok: true });
    }
    await vault.setPluginValue("memory", "key \ud800", JSON.stringify({ value: 1 }));
    expect(await listed()).toBe(did);

    const pages = await allPages(rpcOf("USER_VAULT", did));
    expect(pages.length).toBeGreaterThan(1);
    expect(new Set(pages.map(({ mark }) => mark)).size).toBe(1);
    const target = rpcOf("USER_VAULT", `${did}:restored`);
    for (const { next, mark: _, ...page } of pages) {
      const restored = { ...page, backup: "one", attempt: 0, isLast: next === null };
      expect(await target.importRows(restored)).toEqual({ ok: true, value: next === null });
      // A repeated page changes nothing.
      expect(await target.importRows(restored)).toMatchObject({ ok: true });
    }
    await target.restart().catch(() => undefined);
    const again = rpcOf("USER_VAULT", `${did}:restored`);
    const rowsOf = (found: readonly ObjectPage[]) => found.flatMap(({ rows }) => rows);
    expect(rowsOf(await allPages(again))).toEqual(rowsOf(pages));
    const found = await env.USER_VAULT.getByName(`${did}:restored`).searchPluginTexts("memory", "17", 5);
    expect(found[0]?.id).toBe("text-17");

    await vault.eraseUser();
    expect(await listed()).toBe(null);
  });

  test("an object that changes between two pages has another mark, and one with other data refuses [ALL-93, ALL-95]", async () => {
    const ledger = env.CREDIT_LEDGER.getByName(`${did}:payer`);
    await ledger.grant("first", 100);
    const object = rpcOf("CREDIT_LEDGER", `${did}:payer`);
    const before = await object.exportRows(null);
    await ledger.grant("second", 50);
    const after = await object.exportRows(null);
    expect(after?.mark).not.toBe(before?.mark);
    expect(after?.rows.length).toBe((before?.rows.length ?? 0) + 1);
    if (after === null) throw new Error("the ledger is empty");
    const { next: _, mark: __, ...page } = after;
    const refused = await object.importRows({ ...page, backup: "one", attempt: 0, isLast: true });
    expect(refused).toEqual({ ok: false, error: expect.stringContaining("restore into an empty installation") });
    const schema = ["DROP TABLE accounts"];
    const other = rpcOf("CREDIT_LEDGER", `${did}:other`);
    expect(await other.importRows({ ...page, schema, backup: "one", attempt: 0, isLast: true })).toMatchObject({
      ok: false,
    });
  });
});

describe("tables", () => {
  beforeEach(emptyDatabase);

  test("a backup needs its beginning, which the audit log has [ALL-91]", async () => {
    const never = { backup: "20260101T000000Z-00000000", table: "staff" };
    expect(await post("/staff/backups/rows", never)).toMatchObject({ status: 404 });
    const backup = await begun();
    const rows = await edge
      .browser()
      .call("POST", "/staff/backups/rows", { body: { backup, table: "staff" }, headers: OPERATOR });
    expect(rows.status).toBe(200);
    const { body } = await edge.browser().call("GET", `/staff/audit?subject=${backup}`, { headers: OPERATOR });
    expect(body.data).toMatchObject([{ actor: "operator", operation: "beginBackup", status: 201 }]);
    expect(await post("/staff/backups/rows", { backup, table: "no_table" })).toMatchObject({ status: 404 });
    expect(await post("/staff/backups/rows", { backup, table: "votes", after: ["1"] })).toMatchObject({ status: 400 });
  });

  test("rows return in an empty installation only, each once, and triggers return with them [ALL-94, ALL-95]", async () => {
    const { body: source } = await post("/staff/backups", {});
    const { backup, tables } = source;
    const parts = async () =>
      (await database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name").all()).results;
    const before = await parts();
    const table = tables.find(({ name }: { name: string }) => name === "stored_objects");
    await database.prepare("INSERT INTO stored_objects (class, name) VALUES ('UserVault', 'did:web:a')").run();
    const filled = await post("/staff/restores", { backup, tables });
    expect(filled).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/not empty: its table \w+ has rows/) },
    });
    await emptyDatabase();
    const fewer = tables.filter(({ name }: { name: string }) => name !== "votes");
    expect(await post("/staff/restores", { backup, tables: fewer })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("votes") },
    });
    const rows = [
      ["UserVault", "did:web:a"],
      ["UserVault", "did:web:b"],
    ];
    const write = (from: number, given: readonly unknown[]) =>
      post("/staff/restores/rows", { backup, table, from, rows: given });
    expect(await write(0, rows)).toMatchObject({ status: 409 });
    expect(await post("/staff/restores", { backup, tables })).toMatchObject({
      status: 200,
      body: { rows: {}, objectParts: 0 },
    });
    expect(await parts()).toEqual([]);
    expect(await write(0, rows)).toMatchObject({ status: 200, body: { written: 2 } });
    expect(await write(0, rows)).toMatchObject({ status: 200, body: { written: 2 } });
    expect(await write(3, rows)).toMatchObject({ status: 409 });
    expect(await post("/staff/restores", { backup: "20260101T000000Z-00000000", tables })).toMatchObject({
      status: 409,
    });
    expect(await post("/staff/restores", { backup, tables })).toMatchObject({ body: { rows: { stored_objects: 2 } } });
    expect(await post("/staff/restores/end", { backup, numbers: { changes: "7" } })).toMatchObject({ status: 200 });
    expect(await parts()).toEqual(before);
    const { results } = await database.prepare("SELECT class, name FROM stored_objects ORDER BY name").all();
    expect(results.map((each) => Object.values(each))).toEqual(rows);
    expect(await database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").first("seq")).toBe(7);
    const { body } = await edge.browser().call("GET", `/staff/audit?subject=${backup}`, { headers: OPERATOR });
    expect(body.data).toMatchObject([{ operation: "endRestore", status: 200 }]);
  });
});
