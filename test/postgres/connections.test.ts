/** The connections of requests, and the text of their errors. */
import { afterAll, expect, inject, test } from "vitest";
import { createConnectionScope, withConnections } from "../../platform/database/connection-scope.ts";
import { lazyDatabase } from "../../platform/database/lazy-database.ts";
import { openPostgres } from "../../platform/database/postgres/node.ts";
import { createPostgres } from "../../platform/database/postgres/postgres.ts";
import { DatabaseUnreachable } from "../../platform/database/unreachable.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";

const url = inject("postgresUrl");
const postgres = openPostgres(url);
afterAll(() => postgres.close());

const driver = createPostgres({ connectionString: () => url });
const perRequest = lazyDatabase(() => Promise.resolve(driver));
const pid = async () => Number(await perRequest.prepare("SELECT pg_backend_pid() AS pid").first("pid"));
const isOpen = (id: number) =>
  postgres.database.prepare("SELECT count(*) AS n FROM pg_stat_activity WHERE pid = ?").bind(id).first("n");

test("the batches of a request share one connection, even concurrent ones; it is closed at the end [RG-300]", async () => {
  const closing: Promise<void>[] = [];
  const pids = await withConnections(
    { HYPERDRIVE: { connectionString: url } },
    async () => [await pid(), ...(await Promise.all([pid(), pid(), pid()]))],
    (work) => void closing.push(work),
  );
  expect(new Set(pids).size).toBe(1);
  expect(closing).toHaveLength(1);
  await Promise.all(closing);
  await expect.poll(() => isOpen(pids[0] ?? 0)).toBe(0);
});

test("statements after the end of a request still run, and their connection is closed soon [RG-300]", async () => {
  let later: (() => Promise<number>) | undefined;
  await withConnections(
    { HYPERDRIVE: { connectionString: url } },
    () => Promise.resolve((later = pid)),
    () => undefined,
  );
  const scope = createConnectionScope(1);
  await scope.close();
  const ended = lazyDatabase(() => Promise.resolve(createPostgres({ connectionString: () => url, scope })));
  const id = Number(await ended.prepare("SELECT pg_backend_pid() AS pid").first("pid"));
  expect(await later?.()).not.toBe(id);
  await expect.poll(() => isOpen(id)).toBe(0);
});

test("without a request, each batch has its own connection [RG-300]", async () => {
  expect(await pid()).not.toBe(await pid());
});

test("a connection that the server ends is unreachable, and the next statement opens another [RG-301]", async () => {
  const scope = createConnectionScope();
  const own = lazyDatabase(() => Promise.resolve(createPostgres({ connectionString: () => url, scope })));
  const ended = own.prepare("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)").first();
  await expect(ended).rejects.toThrow(DatabaseUnreachable);
  expect(await own.prepare("SELECT 1 AS one").first("one")).toBe(1);
  await scope.close();
});

test("bugs are reported as bugs instead of an unreachable database, and nothing of their batch is stored [RG-301]", async () => {
  const database = freshPostgres();
  const write = database.prepare("INSERT INTO registry_jobs (job, position) VALUES (?, ?)");
  const written = () => database.prepare("SELECT count(*) AS n FROM registry_jobs WHERE job = 'half'").first("n");
  for (const wrong of [write.bind("other"), write.bind("other", {})]) {
    const failed = await database.batch([write.bind("half", null), wrong]).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(Error);
    expect(failed).not.toBeInstanceOf(DatabaseUnreachable);
    expect(await written()).toBe(0);
  }
  await expect(database.prepare("SELECT nothing FROM domains").first()).rejects.toThrow("42703");
});
