/** Requests while PostgreSQL cannot be reached, and after it can be again. */
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../platform/database/postgres/node.ts";
import { createRegistryFixture, type RegistryFixture } from "../support/registry/fixture.ts";
import { startKillablePostgres } from "../support/storage/killable-postgres.ts";
import { newCaller, newCustomer, testAccounts } from "../support/ussd/accounts.ts";

const server = await startKillablePostgres();
const { database, close } = openPostgres(server.url);
let fixture: RegistryFixture;
beforeAll(async () => {
  fixture = await createRegistryFixture(database, [3, 2]);
});
afterAll(async () => {
  await close();
  await server.close();
});

const TABLES = [
  "domains",
  "domain_controllers",
  "domain_history",
  "domain_search",
  "changes",
  "idempotency",
  "quota_uses",
];

async function rowCounts(): Promise<readonly unknown[]> {
  return Promise.all(TABLES.map((table) => database.prepare(`SELECT count(*) AS rows FROM ${table}`).first("rows")));
}

const body = { type: "Project", class: "did:ixo:protocol/clean-cooking" };

/** A connection of another program. */
async function connected(): Promise<Client> {
  const client = new Client({ connectionString: server.url, application_name: "another" });
  await client.connect();
  return client;
}

test("a connection that is cut in the middle of a batch leaves nothing, and the same request can be sent again [RG-293]", async () => {
  await fixture.domain();
  const before = await rowCounts();
  const other = await connected();
  try {
    // The lock of the registry: the batch waits in its second statement, and the others are sent after it.
    await other.query("BEGIN");
    await other.query("SELECT pg_advisory_xact_lock(7305101)");
    const headers = { "Idempotency-Key": "cut" };
    const sent = fixture.ask("POST", "/v1/domains", { key: fixture.controller, headers, body });
    const waiting = "SELECT pid FROM pg_stat_activity WHERE application_name = 'twinedge' AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
    await other.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waits`);
    const answer = await sent;
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "2"]);
    await other.query("ROLLBACK");
    expect(await rowCounts()).toEqual(before);
    expect((await fixture.ask("POST", "/v1/domains", { key: fixture.controller, headers, body })).status).toBe(201);
  } finally {
    await other.end();
  }
});

test("while the server is down, each surface returns a 503 with Retry-After; it recovers without a restart [RG-155, RG-294]", async () => {
  const id = await fixture.domain();
  const { port } = await testAccounts(database);
  const caller = newCaller();
  await newCustomer(port, caller);
  const before = await rowCounts();
  await server.kill();
  const query = { query: "{ entities(first: 1) { nodes { id } } }" };
  const requests = [
    () => fixture.ask("GET", `/v1/domains/${id}`, { key: fixture.controller }),
    () => fixture.ask("GET", "/v1/domains?count=true", { key: fixture.controller }),
    () => fixture.ask("GET", "/v1/changes", { key: fixture.controller }),
    () => fixture.ask("POST", "/v1/domains", { key: fixture.controller, body }),
    () =>
      fixture.ask("PATCH", `/v1/domains/${id}`, {
        key: fixture.controller,
        headers: { "If-Match": "*" },
        body: { externalId: "changed" },
      }),
  ];
  for (const request of requests) {
    const answer = await request();
    expect([answer.status, answer.body.code, answer.headers.get("Retry-After")]).toEqual([503, "unavailable", "2"]);
  }
  const queried = await fixture.ask("POST", "/graphql", { key: fixture.controller, body: query });
  expect([queried.status, queried.headers.get("Retry-After")]).toEqual([503, "2"]);
  expect(queried.body.errors).toMatchObject([{ extensions: { code: "unavailable" } }]);
  const dial = { ...caller, serviceCode: "*2233#", visitKey: "visit" };
  expect(await port.dial(dial)).toMatchObject({ ok: false, error: { code: "unavailable" } });

  await server.restart();
  for (const request of requests) expect((await request()).status).toBeLessThan(300);
  expect(await port.dial(dial)).toMatchObject({ ok: true });
  // The POST added one domain; the POST and the PATCH each added a version.
  const [domains, , history] = await rowCounts();
  expect([domains, history]).toEqual([Number(before[0]) + 1, Number(before[2]) + 2]);
  const { password } = new URL(server.url);
  expect(fixture.edge.log.join("\n")).not.toContain(password);
});
