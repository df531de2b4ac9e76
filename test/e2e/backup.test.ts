/**
 * The dress rehearsal of a loss: a server is filled, backed up, and destroyed, and the backup is restored into an empty one. Both
 * commands are killed in between.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { mintInvocation, signer } from "../support/auth/ucan.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";
import { runProgram, type ProgramOutcome } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const DOMAINS = 60;
const USERS = 8;
const ADMIN_TOKEN = "the-operator-token-of-the-rehearsal";
const BACKUP_KEY = "0123456789abcdef".repeat(4);
const KEY = "the-key-of-the-backup-rehearsal";
const WAIT = { interval: 50, timeout: 30_000 };

const project = resolve(import.meta.dirname, "../..");
const variables = {
  ADMIN_TOKEN,
  CREDITS_ENABLED: "true",
  CREDITS_INITIAL: "1000",
  MODELS: JSON.stringify([{ id: "local", pricing: { inputPerMillion: 0.1, outputPerMillion: 0.5 } }]),
  CRON_SECRET: "the secret of the rehearsal",
  ORACLE_SIGNING_SEED: "11".repeat(32),
  ORACLE_RATE_LIMIT_PER_MINUTE: "100000",
  REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([
    { key: KEY, did: "did:web:rehearsal.example", scopes: ["registry:admin"], role: "program" },
  ]),
  REGISTRY_WRITES_PER_MINUTE: "1000000",
  USSD_RATE_LIMIT_PER_MINUTE: "1000000",
};

const started = disposeAfterTests();
let source: RunningServer;
let target: RunningServer;
let folder: string;
beforeAll(async () => {
  [source, target] = await Promise.all([startRunningServer(variables), startRunningServer(variables)]);
  started(source);
  started(target);
  const home = mkdtempSync(join(tmpdir(), "twinedge-backups-"));
  started({ dispose: () => removeDirectory(home) });
  folder = join(home, "backups");
  await fill(source.url);
});

async function userOf(url: string, seed: number) {
  const key = await signer(seed);
  const { id: oracle } = await (await fetch(`${url}/.well-known/did.json`)).json<{ id: string }>();
  const token = await mintInvocation(key, oracle, Math.floor(Date.now() / 1000) + 3_600);
  const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan", "Content-Type": "application/json" };
  return async (method: string, path: string, body?: object): Promise<string> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return text;
  };
}

async function fill(url: string): Promise<void> {
  const headers = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" };
  for (let number = 0; number < DOMAINS; number += 1) {
    const body = JSON.stringify({
      type: "Project",
      class: "did:ixo:protocol/cooking",
      metadata: { name: `Domain ${number}` },
    });
    expect((await fetch(`${url}/v1/domains`, { method: "POST", headers, body })).status).toBe(201);
  }
  for (let seed = 1; seed <= USERS; seed += 1) {
    const call = await userOf(url, seed);
    const { sessionId } = JSON.parse(await call("POST", "/sessions")) as { sessionId: string };
    await call("POST", `/messages/${sessionId}`, { message: `The answer of user ${seed}`, stream: false });
  }
}

/** What users and callers see. */
async function answersOf(url: string): Promise<readonly string[]> {
  const answers: string[] = [];
  for (let seed = 1; seed <= USERS; seed += 1) {
    const call = await userOf(url, seed);
    const sessions = await call("GET", "/sessions");
    const {
      sessions: [session],
    } = JSON.parse(sessions) as { sessions: readonly { sessionId: string }[] };
    answers.push(sessions, await call("GET", `/messages/${session?.sessionId}`), await call("GET", "/credits"));
  }
  const headers = { Authorization: `Bearer ${KEY}` };
  for (const path of ["/v1/domains?limit=100", "/v1/changes?limit=100"])
    answers.push(await (await fetch(`${url}${path}`, { headers })).text());
  return answers.map((text) => text.replaceAll(url, ""));
}

const environment = { ...process.env, ADMIN_TOKEN, BACKUP_KEY };

function run(script: "backup" | "restore", words: readonly string[], more: object = {}): Promise<ProgramOutcome> {
  return runProgram(process.execPath, [`scripts/${script}.ts`, ...words], {
    cwd: project,
    env: { ...environment, ...more },
  });
}

/** Starts the command, and kills it when `isDue`. */
async function killed(
  script: "backup" | "restore",
  words: readonly string[],
  isDue: () => Promise<boolean>,
): Promise<void> {
  const child = spawn(process.execPath, [`scripts/${script}.ts`, ...words], {
    cwd: project,
    env: environment,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await expect.poll(isDue, WAIT).toBe(true);
  child.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
}

const partsIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".part"));

const partsWritten = async (): Promise<boolean> => {
  try {
    return partsIn(folder).length > 4;
  } catch {
    return false;
  }
};

describe("a loss, rehearsed", () => {
  let before: readonly string[] = [];

  test("a backup that is killed continues, and equals the server [ALL-90, ALL-96]", async () => {
    await killed("backup", [folder, "--url", source.url], partsWritten);
    const unfinished = await run("restore", [folder, "--url", target.url]);
    expect(unfinished).toMatchObject({ status: 1, stderr: expect.stringContaining("no complete backup") });
    const done = await run("backup", [folder, "--url", source.url]);
    expect(done).toMatchObject({ status: 0, stderr: expect.stringContaining("Continuing the backup") });
    expect(done.stderr).toMatch(new RegExp(`^changes: ${DOMAINS} rows$`, "m"));
    for (const name of ["CreditLedger", "UserVault", "ChatSession"])
      expect(done.stderr).toMatch(new RegExp(`^${name}: ${USERS} objects$`, "m"));
    const verified = await run("backup", ["verify", folder, "--url", source.url]);
    expect(verified, verified.stdout).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("equals the backup"),
    });
    before = await answersOf(source.url);
    // Nothing of a user is readable.
    for (const name of partsIn(folder))
      expect(readFileSync(join(folder, name), "latin1")).not.toContain("The answer of");
  });

  test("a second backup has only the new rows of the audit log and the change feed [ALL-96]", async () => {
    const second = await run("backup", [folder, "--url", source.url]);
    expect(second).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`changes: ${DOMAINS} rows are in earlier parts`),
    });
    expect(second.stderr).toMatch(/^audit_rows: \d+ rows are in earlier parts$/m);
  });

  test("a wrong key, a damaged part and a server with data are refused [ALL-90, ALL-95]", async () => {
    const words = [folder, "--url", target.url];
    expect(await run("restore", words, { BACKUP_KEY: "f".repeat(64) })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is not the key of"),
    });
    expect(await run("restore", words, { BACKUP_KEY: "" })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("openssl rand"),
    });
    expect(await run("restore", words, { ADMIN_TOKEN: "wrong" })).toMatchObject({ status: 4 });
    const damaged = join(temporaryDirectory(), "damaged");
    cpSync(folder, damaged, { recursive: true });
    const part = join(damaged, partsIn(damaged).at(-1) ?? "");
    const bytes = readFileSync(part);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(part, bytes);
    expect(await run("restore", [damaged, "--url", target.url])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is damaged"),
    });
    expect(await run("restore", [folder, "--url", source.url])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is not empty"),
    });
  });

  test("a restore that is killed continues; the restored server answers as before [ALL-94, ALL-96]", async () => {
    await source.kill();
    await killed("restore", [folder, "--url", target.url], () => isRestoring(target.url));
    await target.kill();
    await target.startAgain();
    const users = join(temporaryDirectory(), "users.txt");
    const done = await run("restore", [folder, "--url", target.url, "--users", users]);
    expect(done, done.stderr).toMatchObject({ status: 0 });
    expect(readFileSync(users, "utf8").trim().split("\n")).toHaveLength(USERS);
    const verified = await run("backup", ["verify", folder, "--url", target.url]);
    expect(verified, verified.stdout).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("equals the backup"),
    });
    expect(await answersOf(target.url)).toEqual(before);
    // The conversation continues.
    const call = await userOf(target.url, 1);
    const {
      sessions: [session],
    } = JSON.parse(await call("GET", "/sessions")) as { sessions: readonly { sessionId: string }[] };
    await call("POST", `/messages/${session?.sessionId}`, { message: "after the restore", stream: false });
    const again = await run("restore", [folder, "--url", target.url]);
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("is not empty") });
  });
});

/** Whether a restore is in progress: then, another one is refused. */
async function isRestoring(url: string): Promise<boolean> {
  const response = await fetch(`${url}/staff/restores`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ backup: "20000101T000000Z-00000000", tables: [] }),
  });
  return (await response.text()).includes("is in progress");
}
