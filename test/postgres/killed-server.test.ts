/** A server of PostgreSQL that is killed while 50 writers write and a reader follows the change feed. */
import { afterAll, expect, test } from "vitest";
import { DatabaseUnreachable } from "../../platform/database/unreachable.ts";
import { openPostgres } from "../../platform/database/postgres/node.ts";
import { readChanges } from "../../workers/registry/store/change-store.ts";
import { createRegistryFixture } from "../support/registry/fixture.ts";
import { startKillablePostgres } from "../support/storage/killable-postgres.ts";

const WRITERS = 50;
const EACH = 20;
const WRITES = WRITERS * EACH;
/** Acknowledged writes before the server is killed. */
const BEFORE = 400;

const server = await startKillablePostgres();
const { database, close } = openPostgres(server.url);
afterAll(async () => {
  await close();
  await server.close();
});

interface Change {
  readonly seq: number;
  readonly domainId: string;
}

test("kill -9 in the middle of 1,000 writes: each acknowledged write is there once, and the feed has no gap [RG-276, RG-293]", async () => {
  const { edge, controller } = await createRegistryFixture(database, [1]);
  const acknowledged = new Map<string, string>();
  const killed = Promise.withResolvers<void>();
  /** Settles when the server runs again. */
  const running = Promise.withResolvers<void>();
  let refused = 0;

  async function write(externalId: string): Promise<void> {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", externalId };
    const headers = { "Idempotency-Key": externalId };
    for (;;) {
      const {
        status,
        headers: answered,
        body: domain,
      } = await edge.ask("POST", "/v1/domains", { key: controller, headers, body });
      if (status === 201) {
        acknowledged.set(externalId, String(domain.id));
        if (acknowledged.size === BEFORE) killed.resolve();
        return;
      }
      expect([status, domain.code, answered.get("Retry-After")]).toEqual([503, "unavailable", "2"]);
      refused += 1;
      await running.promise;
    }
  }

  async function writer(number: number): Promise<void> {
    for (let made = 0; made < EACH; made += 1) await write(`write-${number}-${made}`);
  }

  const seen: Change[] = [];
  async function follow(): Promise<void> {
    while (seen.length < WRITES) {
      try {
        const { changes } = await readChanges(database, seen.at(-1)?.seq ?? 0, 100);
        seen.push(...changes.map(({ seq, domainId }) => ({ seq, domainId })));
      } catch (error) {
        if (!(error instanceof DatabaseUnreachable)) throw error;
        await running.promise;
      }
    }
  }

  async function killAndRestart(): Promise<void> {
    await killed.promise;
    await server.kill();
    await server.restart();
    running.resolve();
  }

  await Promise.all([killAndRestart(), follow(), ...Array.from({ length: WRITERS }, (_, number) => writer(number))]);

  expect(refused).toBeGreaterThan(0);
  const { results: domains } = await database
    .prepare("SELECT external_id, id FROM domains ORDER BY number")
    .all<{ external_id: string; id: string }>();
  expect(domains).toHaveLength(WRITES);
  expect(new Map(domains.map(({ external_id: externalId, id }) => [externalId, id]))).toEqual(acknowledged);
  for (const table of ["domain_history", "domain_controllers", "domain_search", "idempotency"]) {
    expect(await database.prepare(`SELECT count(*) AS rows FROM ${table}`).first("rows"), table).toBe(WRITES);
  }
  expect(await database.prepare("SELECT domains FROM domain_counts WHERE member = 'all'").first("domains")).toBe(
    WRITES,
  );
  const { results: changes } = await database.prepare("SELECT seq, domain_id FROM changes ORDER BY seq").all();
  expect(changes).toEqual(seen.map(({ seq, domainId }) => ({ seq, domain_id: domainId })));
  expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: WRITES }, (_, at) => at + 1));
});
