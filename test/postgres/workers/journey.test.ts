/** The registry inside workerd, which reaches PostgreSQL through the binding HYPERDRIVE, next to a D1 of the same runtime. */
import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Database } from "../../../platform/database/database.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import worker from "../../../workers/index.ts";
import { journey } from "../../support/registry/journey.ts";
import { ADMIN_TOKEN } from "../../support/registry/registry-edge.ts";

test("inside workerd, PostgreSQL and D1 answer a domain's life alike [RG-275]", async () => {
  // D1 reports the rows that it read. PostgreSQL does not, so a request costs its largest window.
  const answers = async (database: Database) =>
    (await journey(database)).map((answer) => answer.replace(/"rowCost":\d+/, '"rowCost"'));
  expect(await answers(databaseOf(env))).toEqual(await answers(env.COMPARED));
});

test("the Worker with the binding HYPERDRIVE stores domains in PostgreSQL, not in D1 [RG-275]", async () => {
  const call = (path: string, key: string, body?: object) =>
    exports.default.fetch(`https://twinedge.test${path}`, {
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
  const grant = { label: "test", did: "did:web:owner.test", scopes: ["domains:read", "domains:write"] };
  const issued = await call("/v1/api-keys", ADMIN_TOKEN, grant);
  const { key } = await issued.json<{ key: string }>();
  const created = await call("/v1/domains", key, {
    type: "Project",
    class: "did:ixo:protocol/solar",
    metadata: { name: "Sunny" },
  });
  expect([created.status, await created.clone().text()]).toEqual([201, expect.stringContaining("Sunny")]);
  const { id } = await created.json<{ id: string }>();
  const row = await databaseOf(env).prepare("SELECT name FROM domains WHERE id = ?").bind(id).first();
  expect(row).toEqual({ name: "Sunny" });
  expect(await env.COMPARED.prepare("SELECT count(*) AS n FROM domains WHERE id = ?").bind(id).first("n")).toBe(0);
  expect((await call(`/v1/domains/${id}`, key)).status).toBe(200);
});

test("a request closes its connections when it has ended [RG-300]", async () => {
  const list = () => exports.default.fetch("https://twinedge.test/v1/domains?limit=1");
  await Promise.all([list(), list(), list()]);
  const others =
    "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'twinedge' AND pid <> pg_backend_pid()";
  await expect.poll(() => databaseOf(env).prepare(others).first("n")).toBe(0);
});

test("staff and the audit log are in PostgreSQL, and the minute's job seals the rows [ALL-54, RG-275]", async () => {
  const invited = await exports.default.fetch("https://twinedge.test/staff/members", {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Amina", role: "operator" }),
  });
  expect(invited.status).toBe(201);
  const { id } = await invited.json<{ id: string }>();
  const rows = () =>
    databaseOf(env)
      .prepare(
        `SELECT audit_rows.phase, audit_seals.digest IS NOT NULL AS sealed FROM audit_rows
         LEFT JOIN audit_seals ON audit_seals.seq = audit_rows.seq
         WHERE audit_rows.operation = 'inviteStaff' ORDER BY audit_rows.seq`,
      )
      .all();
  const both = (sealed: number) => ({
    results: [
      { phase: "begun", sealed },
      { phase: "done", sealed },
    ],
  });
  // The second row follows after the response.
  await expect.poll(rows).toMatchObject(both(0));
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController(), env, context);
  await waitOnExecutionContext(context);
  expect(await rows()).toMatchObject(both(1));
  const names = (database: Database) => database.prepare("SELECT name FROM staff WHERE id = ?").bind(id).first("name");
  expect([await names(databaseOf(env)), await names(env.COMPARED)]).toEqual(["Amina", null]);
});
