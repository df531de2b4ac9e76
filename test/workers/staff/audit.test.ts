/** The audit log: what it records of staff and of API keys, its search, its export, and its chain. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { runAudit } from "../../../scripts/audit/run-audit.ts";
import type { AuditOptions } from "../../../scripts/audit/arguments.ts";
import { exitCodes } from "../../../scripts/keys/run-keys.ts";
import { createStaffApp } from "../../../workers/staff/app.ts";
import { emptyAuditLog, tamperWithAuditLog } from "../../support/staff/audit-tampering.ts";
import { ADMIN_TOKEN, ORIGIN, staffEdge } from "../../support/staff/staff-edge.ts";

const edge = staffEdge();
const operator = { Authorization: `Bearer ${ADMIN_TOKEN}` };

async function search(query = "") {
  await edge.settled();
  const { body } = await edge.browser().call("GET", `/staff/audit${query}`, { headers: operator });
  return body.data;
}

async function newKey(scopes: readonly string[], did = "did:web:writer.test"): Promise<{ id: string; key: string }> {
  const call = { headers: operator, body: { label: "Writer", did, scopes } };
  const { body } = await edge.browser().call("POST", "/v1/api-keys", call);
  return { id: String(body.id), key: String(body.key) };
}

beforeEach(async () => {
  await edge.settled();
  await emptyAuditLog();
});

describe("the audit log records", () => {
  test("who changed a voter's power, from where, before and after, with the request's id [ALL-53]", async () => {
    const { page, id } = await edge.signedIn("administrator");
    const voter = (await newKey(["verification:vote"], "did:web:voter.test")) && "did:web:voter.test";
    const path = `/v1/voters/${voter}`;
    const from = { "CF-Connecting-IP": "192.0.2.7" };
    await page.call("PUT", path, { body: { weight: 2 }, headers: from });
    const changed = await page.call("PUT", path, { body: { weight: 5 }, headers: { ...from, "If-Match": "*" } });
    expect(changed.status).toBe(200);
    const [newest, oldest] = await search(`?subject=${encodeURIComponent(voter)}`);
    expect(newest).toMatchObject({
      actor: id,
      network: "192.0.2.7",
      operation: "putVoter",
      subject: voter,
      requestId: changed.headers.get("X-Request-Id"),
      status: 200,
      change: { before: { weight: 2 }, after: { weight: 5 } },
    });
    expect(oldest.change).toMatchObject({ before: null, after: { weight: 2 } });
  });

  test("acts on staff, and sign-ins [ALL-53]", async () => {
    const { page, id } = await edge.signedIn("administrator");
    const { id: other } = await edge.signedIn("viewer");
    await page.call("PATCH", `/staff/members/${other}`, { body: { role: "operator" } });
    const [change, signedIn, invited] = await search(`?subject=${other}`);
    expect(change).toMatchObject({
      actor: id,
      operation: "updateStaff",
      change: { before: { role: "viewer", disabled: false }, after: { role: "operator", disabled: false } },
    });
    expect(signedIn).toMatchObject({ actor: other, operation: "acceptStaffInvitation" });
    expect(invited).toMatchObject({
      actor: "operator",
      operation: "inviteStaff",
      change: { after: { role: "viewer" } },
    });
  });

  test("writes of API keys, and no secret [ALL-53]", async () => {
    const { id, key } = await newKey(["domains:write"]);
    const body = { type: "Project", class: "did:a:b" };
    const created = await edge
      .browser()
      .call("POST", "/v1/domains", { headers: { Authorization: `Bearer ${key}` }, body });
    expect(created.status).toBe(201);
    const [act] = await search(`?actor=${id}`);
    expect(act).toMatchObject({
      operation: "createDomain",
      subject: created.body.id,
      change: { after: { version: 1 } },
    });
    const { results } = await env.DATABASE.prepare("SELECT * FROM audit_rows").all();
    expect(JSON.stringify(results)).not.toContain(key);
  });

  test("each import of lines, at its end [ALL-53]", async () => {
    const { id, key } = await newKey(["domains:write", "registry:admin"]);
    const lines = `${JSON.stringify({ type: "Project", class: "did:a:b" })}\n`;
    const answer = await edge.send(
      new Request(`${ORIGIN}/v1/imports/import-1/lines`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/x-ndjson" },
        body: lines,
      }),
    );
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"created":1')]);
    expect((await search(`?actor=${id}`))[0]).toMatchObject({
      operation: "importDomains",
      change: { after: { created: 1 } },
    });
  });

  test("the person who acts on a phone customer [ALL-53]", async () => {
    const { page, id } = await edge.signedIn("support");
    await page.call("POST", "/api/ussd/ops/customers/C12345678/unlock");
    expect((await search(`?actor=${id}`))[0]).toMatchObject({ operation: "unlockCustomer", subject: "C12345678" });
  });

  test("a bounded part of a path, without control characters [ALL-53]", async () => {
    const { page, id } = await edge.signedIn("support");
    const unlock = (customer: string) =>
      page.call("POST", `/api/ussd/ops/customers/${encodeURIComponent(customer)}/unlock`);
    await unlock("C".repeat(7_000));
    expect((await search(`?actor=${id}`))[0].subject).toBe("C".repeat(500));
    await unlock("a\0\u001b[2Jb");
    expect((await search(`?actor=${id}`))[0].subject).toBe("a\uFFFD\uFFFD[2Jb");
  });

  test("nothing of a request that changes nothing [ALL-53]", async () => {
    const { id, key } = await newKey(["domains:write"]);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await edge.browser().call("POST", "/v1/domains", { headers, body: { type: 7 } })).status).toBe(400);
    expect((await edge.browser().call("GET", "/v1/domains", { headers })).status).toBe(200);
    expect(await search(`?actor=${id}`)).toEqual([]);
  });
});

test("an act whose outcome was not stored is found by its beginning [ALL-53]", async () => {
  const { id } = await newKey(["domains:write"]);
  await edge.settled();
  await tamperWithAuditLog("DELETE FROM audit_rows WHERE phase = 'done'");
  expect(await search("?operation=createApiKey")).toMatchObject([{ actor: "operator", subject: null, status: null }]);
  expect(id).not.toBe("");
});

test.each([
  ["UPDATE audit_rows SET actor = 'other'", "never changed"],
  ["DELETE FROM audit_rows", "never deleted"],
  ["UPDATE audit_seals SET digest = ''", "never changed"],
  ["DELETE FROM audit_seals", "never deleted"],
])("the database refuses %s [ALL-54]", async (statement, reason) => {
  await newKey(["domains:read"]);
  await edge.settled();
  await createStaffApp().scheduled(edge.env);
  await expect(env.DATABASE.prepare(statement).run()).rejects.toThrow(reason);
});

test("each minute seals every row that waits, in parts [ALL-54]", async () => {
  const row = `INSERT INTO audit_rows (seq, act, phase, at, actor, network, operation, request_id)
    VALUES (?1, 'a', 'begun', 1, 'staff_1', '192.0.2.1', 'putVoter', 'r')`;
  const statement = env.DATABASE.prepare(row);
  await env.DATABASE.batch(Array.from({ length: 1_001 }, (_, index) => statement.bind(index + 1)));
  await createStaffApp().scheduled(edge.env);
  expect(await env.DATABASE.prepare("SELECT max(seq) AS last FROM audit_seals").first("last")).toBe(1_001);
});

test("the search takes one filter, and only auditors may use it [ALL-55]", async () => {
  const status = async (path: string, headers: Record<string, string> = operator) =>
    (await edge.browser().call("GET", path, { headers })).status;
  expect(await status("/staff/audit?actor=a&operation=b")).toBe(400);
  const { page } = await edge.signedIn("operator");
  expect((await page.call("GET", "/staff/audit")).status).toBe(403);
  const { page: auditor } = await edge.signedIn("compliance");
  expect((await auditor.call("GET", "/staff/audit")).status).toBe(200);
  expect((await auditor.call("GET", "/staff/audit/export")).status).toBe(200);
  expect(await status("/staff/audit", {})).toBe(401);
});

test("the search has pages [ALL-55]", async () => {
  for (let count = 0; count < 51; count += 1) await newKey(["domains:read"]);
  await edge.settled();
  const read = async (query: string) =>
    (await edge.browser().call("GET", `/staff/audit${query}`, { headers: operator })).body;
  const first = await read("?operation=createApiKey");
  expect(first.data).toHaveLength(50);
  expect((await read(`?operation=createApiKey&before=${first.next}`)).data).toHaveLength(1);
});

describe("npm run audit", () => {
  async function run(options: Partial<AuditOptions>, earlier = "") {
    const [printed, noted]: [string[], string[]] = [[], []];
    await edge.settled();
    const code = await runAudit(
      { kind: "verify", earlier: undefined, url: ORIGIN, tokenFromInput: false, ...options },
      {
        environment: { ADMIN_TOKEN },
        localVariables: () => new Map(),
        standardInput: async () => "",
        print: (text) => void printed.push(text),
        note: (text) => void noted.push(text),
        readFile: () => earlier,
        fetch: (input, init) => edge.send(new Request(input, { ...init, redirect: "manual" })),
      },
    );
    return { code, printed, noted: noted.join("\n") };
  }

  test("exports the log and verifies its chain [ALL-56]", async () => {
    await newKey(["domains:read"]);
    const exported = await run({ kind: "export" });
    expect(exported.printed.map((line) => JSON.parse(line).phase)).toEqual(["begun", "done"]);
    await newKey(["domains:read"]);
    const verified = await run({ earlier: "old" }, exported.printed.join("\n"));
    expect([verified.code, verified.printed]).toEqual([
      exitCodes.done,
      [expect.stringMatching(/^4 rows, no fault; digest [0-9a-f]{64}$/)],
    ]);
  });

  test.each([
    ["the first row", "seq = 1", 1],
    ["a row in the middle", "seq = 3", 3],
    ["the newest row", "seq = 4", 4],
    ["all rows", "seq > 0", 1],
  ])("names the first missing row without %s and its digest [ALL-56]", async (_, which, missing) => {
    await newKey(["domains:read"]);
    await newKey(["domains:read"]);
    await run({ kind: "export" });
    const tables = ["audit_rows", "audit_seals"];
    await tamperWithAuditLog(...tables.map((table) => `DELETE FROM ${table} WHERE ${which}`));
    expect(await run({})).toMatchObject({ code: exitCodes.refused, noted: `npm run audit: row ${missing} is missing` });
    // A later act does not fill the gap.
    await newKey(["domains:read"]);
    expect(await run({})).toMatchObject({ code: exitCodes.refused, noted: `npm run audit: row ${missing} is missing` });
  });

  test("names a changed row, and a log that was written again [ALL-56]", async () => {
    await newKey(["domains:read"]);
    const { printed } = await run({ kind: "export" });
    await tamperWithAuditLog("UPDATE audit_rows SET actor = 'other' WHERE seq = 2");
    const { code, noted } = await run({});
    expect([code, noted]).toEqual([exitCodes.refused, expect.stringContaining("row 2 differs from its digest")]);
    await emptyAuditLog();
    await newKey(["domains:read"]);
    expect((await run({})).code).toBe(exitCodes.done);
    expect((await run({ earlier: "old" }, printed.join("\n"))).code).toBe(exitCodes.refused);
  });
});
