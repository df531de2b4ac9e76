/** The operator's routes on users of the oracle: copy, erasure, and the list that is applied again after a restore. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { credits } from "../../oracle/plugins/credits/plugin.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";
import type { JsonObject } from "../../platform/json.ts";
import { openClaim } from "../../oracle/plugins/credits/claims-table.ts";
import { signer } from "../support/auth/ucan.ts";
import { createEdge, jsonOf, openSession, type Edge } from "../support/oracle/oracle-edge.ts";

const ADMIN_TOKEN = "operator-token-of-32-characters!";
const Authorization = `Bearer ${ADMIN_TOKEN}`;
const DAY = 86_400_000;

/** Users of this file; other files use lower numbers. */
let lastUser = 180;

async function setUp(more: object = { ADMIN_TOKEN }) {
  const { CHAT_SESSION, USER_VAULT, CREDIT_LEDGER, DATABASE, ASSETS, BLOBS } = env;
  const bindings = { CHAT_SESSION, USER_VAULT, CREDIT_LEDGER, DATABASE, ASSETS, BLOBS, LLM_PROVIDER: "local", ...more };
  const edge = await createEdge(
    { ...bindings, CREDITS_ENABLED: "true", CRON_SECRET: "a-secret-of-the-tests-only" },
    { plugins: [userPreferences, credits] },
  );
  return edge;
}

function ask(edge: Edge, path: string, body?: object): Promise<Response> {
  return edge.call(body === undefined ? "GET" : "POST", `/people/${path}`, { headers: { Authorization }, body });
}

async function furnish(edge: Edge): Promise<string> {
  const user = (lastUser += 1);
  const did = (await signer(user)).did();
  await openSession(edge, user);
  await env.DATABASE.prepare(
    "INSERT INTO user_preferences (user_did, oracle_did, preferences, updated_at) VALUES (?1, ?2, '{}', ?3)",
  )
    .bind(did, edge.oracleDid, new Date(Date.now() - DAY).toISOString())
    .run();
  return did;
}

async function preferencesOf(did: string): Promise<number> {
  const { results } = await env.DATABASE.prepare("SELECT 1 FROM user_preferences WHERE user_did = ?").bind(did).all();
  return results.length;
}

async function reapply(edge: Edge): Promise<number> {
  let total = 0;
  for (let after: unknown = ""; after !== null;) {
    const page = await jsonOf(await ask(edge, "reapply", { after }));
    total += Number(page["found"]);
    after = page["next"];
  }
  return total;
}

test("an operator gets a copy of a user's data, and erases the user [OR-680]", async () => {
  const edge = await setUp();
  const did = await furnish(edge);
  const copy = await ask(edge, "export", { did });
  expect(copy.headers.get("Cache-Control")).toBe("no-store");
  const lines = (await copy.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  expect(lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["user", "plugin", "session", "end"]));
  const erased = await ask(edge, "erase", { did });
  expect(await jsonOf(erased)).toMatchObject({ state: "erased", kept: expect.any(Array) });
  expect(await preferencesOf(did)).toBe(0);
  expect((await env.USER_VAULT.getByName(did).listSessions(Infinity, { limit: 5, offset: 0 })).value?.sessions).toEqual(
    [],
  );
});

test("each act of an operator is in the audit log, with the user's digest of the list of erased users [ALL-53]", async () => {
  const edge = await setUp();
  const did = await furnish(edge);
  const since = (await env.DATABASE.prepare("SELECT max(seq) AS last FROM audit_rows").first<number>("last")) ?? 0;
  await (await ask(edge, "export", { did })).text();
  await ask(edge, "erase", { did });
  await ask(edge, "erased/add", { erased: [] });
  await ask(edge, "reapply", { dids: [] });
  const acts = async () => {
    const query =
      "SELECT actor, operation, subject, status FROM audit_rows WHERE seq > ?1 AND phase = 'done' ORDER BY seq";
    return (await env.DATABASE.prepare(query).bind(since).all()).results;
  };
  const act = (operation: string, subject: unknown = null) => ({ actor: "operator", operation, subject, status: 200 });
  const subject = expect.stringMatching(/^keyed:[0-9a-f]{64}$/);
  await expect
    .poll(acts)
    .toEqual([
      act("exportPersonAsOperator", subject),
      act("erasePersonAsOperator", subject),
      act("addErasedUsers"),
      act("reapplyUserErasures"),
    ]);
  const [, erased] = await acts();
  const entries = JSON.stringify(await jsonOf(await ask(edge, "erased")));
  expect(entries).toContain(String(erased?.["subject"]));
});

test("an author's database without an audit log refuses no act [OR-680]", async () => {
  const without = {
    prepare: (sql: string) => env.DATABASE.prepare(sql.replaceAll("audit_", "audit_absent_")),
    batch: (statements: D1PreparedStatement[]) => env.DATABASE.batch(statements),
  };
  const edge = await setUp({ ADMIN_TOKEN, DATABASE: without });
  expect((await ask(edge, "erase", { did: await furnish(edge) })).status).toBe(200);
});

test("the routes need ADMIN_TOKEN, and do not exist without it [OR-681]", async () => {
  const edge = await setUp();
  const anonymous = await edge.call("POST", "/people/erase", { body: { did: "did:key:x" } });
  expect(anonymous.status).toBe(401);
  const headers = { Authorization: "Bearer another-token-of-32-characters!!" };
  expect((await edge.call("POST", "/people/erase", { headers, body: { did: "did:key:x" } })).status).toBe(401);
  expect((await ask(edge, "erase", { did: "nobody" })).status).toBe(400);
  const closed = await setUp({});
  expect((await ask(closed, "erase", { did: "did:key:x" })).status).toBe(404);
});

test("restored users are erased again by their digests, and later ones stay [OR-682, OR-683]", async () => {
  const edge = await setUp();
  const [did, later, stored] = [await furnish(edge), await furnish(edge), await furnish(edge)];
  const claim = { runId: "run", amount: 1, createdAt: new Date(Date.now() - DAY).toISOString() };
  const payer = `did:key:${crypto.randomUUID()}`;
  const settledClaim = async () => {
    await openClaim(env.DATABASE, { ...claim, payer });
    await env.DATABASE.prepare("UPDATE claims SET status = 'settled' WHERE payer = ?").bind(payer).run();
  };
  await settledClaim();
  for (const each of [did, later, stored, payer]) expect((await ask(edge, "erase", { did: each })).status).toBe(200);
  const list = await jsonOf(await ask(edge, "erased"));
  expect(JSON.stringify(list)).not.toContain(did);

  // The restore: rows of before, a row of a user who came back later, and a table of erasures that does not know of them.
  await env.DATABASE.exec("DELETE FROM erasures");
  const row = env.DATABASE.prepare(
    "INSERT INTO user_preferences (user_did, oracle_did, preferences, updated_at) VALUES (?1, ?2, '{}', ?3)",
  );
  await row.bind(did, edge.oracleDid, new Date(Date.now() - DAY).toISOString()).run();
  await row.bind(later, edge.oracleDid, new Date(Date.now() + DAY).toISOString()).run();
  await env.USER_VAULT.getByName(stored).addPluginValue("test", "value", "1");
  await env.DATABASE.exec("DELETE FROM claims");
  await settledClaim();
  expect(await reapply(edge)).toBe(0);
  expect((await ask(edge, "erased/add", { erased: list["erased"] })).status).toBe(200);
  // The user with the preferences, and the payer.
  expect(await reapply(edge)).toBe(2);
  const named = await ask(edge, "reapply", { dids: [stored, "did:key:another"] });
  expect(await jsonOf(named)).toEqual({ examined: 2, found: 1, next: null });
  await edge.schedule();
  expect([await preferencesOf(did), await preferencesOf(later)]).toEqual([0, 1]);
  expect(await reapply(edge)).toBe(0);
  expect(await env.USER_VAULT.getByName(stored).addPluginValue("test", "value", "1")).toMatchObject({ value: true });
});

test("the list of another key is not a list: its subjects find no user [OR-683]", async () => {
  const edge = await setUp();
  const did = await furnish(edge);
  const subject = `keyed:${"0".repeat(64)}`;
  const erasedAt = new Date().toISOString();
  expect((await ask(edge, "erased/add", { erased: [{ subject, erasedAt }] })).status).toBe(200);
  expect((await ask(edge, "erased/add", { erased: [{ subject: did, erasedAt }] })).status).toBe(400);
  expect(await reapply(edge)).toBe(0);
  expect(await preferencesOf(did)).toBe(1);
});
