/**
 * The dress rehearsal of a move from D1 to PostgreSQL and back: 5,000 domains with history, votes and customers, while the registry
 * answers, with a copy that is killed in between.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { syntheticLines } from "../../bench/synthetic-domains.ts";
import { localD1File } from "../../scripts/db/local-d1.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";
import { runProgram, type ProgramOutcome } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { hasPostgres, startTestPostgres, type TestPostgres } from "../support/storage/postgres-server.ts";

/**
 * A rehearsal of another size prints how long each command takes, and needs more time:
 * `REHEARSAL_DOMAINS=200000 npx vitest run --project e2e test/e2e/database-copy.test.ts --testTimeout 3600000`
 */
const DOMAINS = Number(process.env["REHEARSAL_DOMAINS"] ?? 5_000);
const isMeasured = process.env["REHEARSAL_DOMAINS"] !== undefined;
/** Milliseconds in which a rehearsal has to be filled; undefined: the usual limit of Vitest. */
const FILLING = isMeasured ? 3_600_000 : undefined;
const LINES = 1_000;
const CHANGED = 300;
const PROPOSALS = 20;
const CUSTOMERS = 5;
const KEY = "the-key-of-the-rehearsal";
const VOTERS = ["did:web:one.example", "did:web:two.example", "did:web:three.example"];

const project = resolve(import.meta.dirname, "../..");
const scopes = ["registry:admin", "verification:vote"];
const keys = [
  { key: KEY, did: "did:web:rehearsal.example", scopes: ["registry:admin", "verification:propose"], role: "program" },
  ...VOTERS.map((did) => ({ key: keyOf(did), did, scopes })),
];
const variables = {
  REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys),
  REGISTRY_WRITES_PER_MINUTE: "1000000",
  REGISTRY_READS_PER_MINUTE: "1000000",
  REGISTRY_OWNER_PROPOSALS_PER_DAY: "1000",
  USSD_RATE_LIMIT_PER_MINUTE: "1000000",
  USSD_SESSION_TTL_SECONDS: "30",
};

function keyOf(did: string): string {
  return `the-key-of-${did.replaceAll(/\W/g, "-")}`;
}

describe.runIf(hasPostgres)("a move from D1 to PostgreSQL and back", () => {
  const started = disposeAfterTests();
  let postgres: TestPostgres;
  let server: RunningServer;
  let url = "";
  let ids: readonly string[] = [];
  beforeAll(async () => {
    [postgres, server] = await Promise.all([startTestPostgres(), startRunningServer(variables)]);
    started(server);
    started(postgres);
    url = await postgres.newDatabase();
    ids = await fill(server);
    await endBackgroundWrites(server);
  }, FILLING);

  async function dbOf(state: string, ...words: readonly string[]): Promise<ProgramOutcome> {
    const began = performance.now();
    const outcome = await runProgram(process.execPath, ["scripts/db.ts", ...words, "--state", state], {
      cwd: project,
      env: { ...process.env, TARGET: url },
    });
    const seconds = Math.round((performance.now() - began) / 1000);
    if (isMeasured) process.stderr.write(`${words.join(" ")}: ${seconds} s\n${outcome.stderr}`);
    return outcome;
  }
  const db = (...words: readonly string[]) => dbOf(server.storage, ...words);

  test("a copy that is killed continues, while the registry answers [RG-286, RG-287]", async () => {
    expect(await db("migrate", "env:TARGET")).toMatchObject({ status: 0 });
    expect(await db("migrate", "env:TARGET")).toMatchObject({ status: 0, stdout: "No migrations to apply.\n" });
    const reading = keepReading(server, ids);
    const killed = spawn(process.execPath, ["scripts/db.ts", "copy", "d1", "env:TARGET", "--state", server.storage], {
      cwd: project,
      env: { ...process.env, TARGET: url },
      stdio: "ignore",
    });
    const ended = once(killed, "exit");
    await expect.poll(() => copiedRows(url), { interval: 20 }).toBeGreaterThan(0);
    killed.kill("SIGKILL");
    await ended;
    expect(await copiedRows(url)).toBeLessThan(DOMAINS);
    const unfinished = await db("verify", "d1", "env:TARGET");
    expect(unfinished).toMatchObject({ status: 1, stderr: expect.stringContaining("is not finished") });
    const copied = await db("copy", "d1", "env:TARGET");
    expect(copied).toMatchObject({ status: 0, stderr: expect.stringContaining("Continuing the copy") });
    expect(await reading.stop()).toEqual({ failed: 0, answered: expect.toSatisfy((count: number) => count > 0) });
    const verified = await db("verify", "d1", "env:TARGET");
    expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining("The databases are equal.") });
    expect(verified.stdout).toMatch(new RegExp(`^domains: ${DOMAINS} rows, [0-9a-f]{16}$`, "m"));
    expect(verified.stdout).toMatch(new RegExp(`^domain_history: ${DOMAINS + CHANGED + 2 * PROPOSALS} rows`, "m"));
    expect(verified.stdout).toMatch(new RegExp(`^customers: ${CUSTOMERS} rows`, "m"));
    for (const { stdout, stderr } of [copied, verified]) expect(stdout + stderr).not.toContain(new URL(url).password);
  });

  test("changes since the copy are named, and caught up [RG-288, RG-289]", async () => {
    const changed = ids[7] ?? "";
    await call(server, "PATCH", `/v1/domains/${encodeURIComponent(changed)}`, { metadata: { name: "Changed later" } });
    await endBackgroundWrites(server);
    const { status, stdout, stderr } = await db("verify", "d1", "env:TARGET");
    expect(status).toBe(1);
    expect(stderr).toContain("stop its writes and its schedule");
    expect(stdout).toMatch(/^ {2}domains, number \d+: differs in .*\bname\b.*updated_at/m);
    expect(stdout).toMatch(
      /^ {2}domain_history, domain_id did:ixo:entity:\w+, version 2: only in the first database$/m,
    );
    expect(stdout).not.toContain("Changed later");
    expect(await db("copy", "d1", "env:TARGET")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("--catch-up"),
    });
    expect(await db("copy", "d1", "env:TARGET", "--catch-up")).toMatchObject({ status: 0 });
    expect(await db("verify", "d1", "env:TARGET")).toMatchObject({ status: 0 });
  });

  test("a copy back into an empty D1 database is equal to both [RG-286, RG-289]", async () => {
    const state = mkdtempSync(join(tmpdir(), "twinedge-way-back-"));
    onTestFinished(() => removeDirectory(state));
    expect(await dbOf(state, "migrate", "d1")).toMatchObject({ status: 0 });
    expect(await dbOf(state, "copy", "env:TARGET", "d1")).toMatchObject({ status: 0 });
    const back = await dbOf(state, "verify", "env:TARGET", "d1");
    expect(back).toMatchObject({ status: 0, stdout: expect.stringContaining("The databases are equal.") });
    const tables = ({ stdout }: ProgramOutcome) => stdout.split("\n").filter((line) => line.includes(" rows, "));
    expect(tables(back)).toEqual(tables(await db("verify", "d1", "env:TARGET")));
  });

  test("a running server's own database is no target [RG-288]", async () => {
    expect(await db("copy", "env:TARGET", "d1")).toMatchObject({ status: 1 });
  });
});

async function fill(server: RunningServer): Promise<readonly string[]> {
  const ids: string[] = [];
  const lines = [...syntheticLines(DOMAINS)];
  for (let first = 0; first < DOMAINS; first += LINES) {
    const report = await send(server, "POST", `/v1/imports/rehearsal/lines?firstLine=${first + 1}`, {
      type: "application/x-ndjson",
      body: lines.slice(first, first + LINES).join(""),
    });
    ids.push(...[...report.matchAll(/"status":"created","id":"(.+?)"/g)].map(([, id = ""]) => id));
  }
  expect(ids).toHaveLength(DOMAINS);
  for (const did of VOTERS)
    await call(server, "PUT", `/v1/voters/${encodeURIComponent(did)}`, { weight: 1, label: did });
  for (const id of ids.slice(100, 100 + CHANGED))
    await call(server, "PATCH", `/v1/domains/${encodeURIComponent(id)}`, { metadata: { name: "Hà Nội 🌍 changed" } });
  for (const id of ids.slice(1_000, 1_000 + PROPOSALS)) {
    const path = `/v1/domains/${encodeURIComponent(id)}/proposals`;
    const proposal = JSON.parse(await call(server, "POST", path, { title: "Vérifier", package: {} })) as { id: string };
    for (const did of VOTERS.slice(0, 2)) {
      const body = { option: "yes", rationale: "Seen on site" };
      await call(server, "POST", `/v1/proposals/${proposal.id}/votes`, body, keyOf(did));
    }
  }
  for (let number = 0; number < CUSTOMERS; number += 1) await createCustomer(server, `+26097123000${number}`);
  return ids;
}

/**
 * Runs the schedule until its jobs have ended, every act is sealed and every call is counted: a write between a copy and its verification
 * is a difference.
 */
async function endBackgroundWrites({ url, storage }: RunningServer): Promise<void> {
  const file = localD1File(storage);
  if (!file.ok) throw new Error(file.error);
  const database = new DatabaseSync(file.value, { readOnly: true });
  const ended = database.prepare(`SELECT job FROM registry_jobs WHERE position IS NULL
    AND (SELECT count(*) FROM audit_rows) = (SELECT count(*) FROM audit_seals)
    AND (SELECT sum(value) FROM ussd_counters WHERE counter = 'sessions') = ${CUSTOMERS}`);
  do expect((await fetch(`${url}/cdn-cgi/local/scheduled`)).status).toBe(200);
  while (ended.get() === undefined);
  database.close();
}

/** The inputs of a caller who creates an account. */
async function createCustomer({ url }: RunningServer, phoneNumber: string): Promise<void> {
  const inputs = ["2", "2", "John Doe", "00", "43219", "43219"];
  let screen = "";
  for (let count = 0; count <= inputs.length; count += 1) {
    const form = {
      sessionId: `s${phoneNumber}`,
      serviceCode: "*2233#",
      phoneNumber,
      text: inputs.slice(0, count).join("*"),
    };
    screen = await (await fetch(`${url}/api/ussd`, { method: "POST", body: new URLSearchParams(form) })).text();
  }
  expect(screen).toContain("Account created successfully");
}

function call(server: RunningServer, method: string, path: string, body: unknown, key = KEY): Promise<string> {
  return send(server, method, path, { type: "application/json", body: JSON.stringify(body) }, key);
}

async function send(
  { url }: RunningServer,
  method: string,
  path: string,
  { type, body }: { readonly type: string; readonly body: string },
  key = KEY,
): Promise<string> {
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": type,
    ...(method === "PATCH" && { "If-Match": "*" }),
  };
  const response = await fetch(`${url}${path}`, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}

/** Reads domains until it is stopped. */
function keepReading({ url }: RunningServer, ids: readonly string[]) {
  const state = { isStopped: false };
  let [answered, failed] = [0, 0];
  const reading = (async () => {
    for (let index = 0; !state.isStopped; index += 1) {
      const path = `/v1/domains/${encodeURIComponent(ids[(index * 619) % ids.length] ?? "")}`;
      const { status } = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${KEY}` } });
      if (status === 200) answered += 1;
      else failed += 1;
    }
  })();
  return {
    async stop() {
      state.isStopped = true;
      await reading;
      return { answered, failed };
    },
  };
}

/** Rows of the domains in the target so far. */
async function copiedRows(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: string }>("SELECT count(*) AS count FROM domains");
  await client.end();
  return Number(rows[0]?.count);
}
