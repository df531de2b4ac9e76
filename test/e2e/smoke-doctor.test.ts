/** `npm run smoke` and `npm run doctor` against a server that works, and against servers with a fault. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, inject, test, beforeAll, onTestFinished } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { freePort } from "../support/server/free-port.ts";
import { runProgram, type ProgramOutcome } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { askForServer, newServer } from "../support/server/server-process-client.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";

const project = resolve(import.meta.dirname, "../..");
const KEY = "a-key-of-the-smoke-tests";
const ADMIN_TOKEN = "the-operator-token-of-the-smoke-tests";
const REGISTRY_BOOTSTRAP_KEYS = JSON.stringify([{ key: KEY, did: "did:web:smoke.test", scopes: ["domains:read"] }]);
const started = disposeAfterTests();
let server: RunningServer;
beforeAll(async () => {
  server = started(await startRunningServer({ REGISTRY_BOOTSTRAP_KEYS, ADMIN_TOKEN }));
});

function run(name: "smoke" | "doctor", words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProgramOutcome> {
  return runProgram(process.execPath, [resolve(project, `scripts/${name}.ts`), ...words], {
    cwd: project,
    env: { ...process.env, REGISTRY_API_KEY: KEY, ...env },
  });
}

/** A server that is up, although its `/health` is a 503. */
async function faultyServer(variables: Readonly<Record<string, string>>): Promise<string> {
  const storage = mkdtempSync(join(tmpdir(), "twinedge-faulty-"));
  const port = await freePort();
  const faulty = newServer();
  onTestFinished(async () => {
    await askForServer(faulty);
    removeDirectory(storage);
  });
  await askForServer(faulty, {
    built: inject("builtWorker"),
    port,
    storage,
    variables: { REGISTRY_BOOTSTRAP_KEYS, ADMIN_TOKEN, ...variables },
    hasDevVars: true,
  });
  return `http://localhost:${port}`;
}

describe("npm run smoke", () => {
  test("reports one line for each surface of a server that works, in under 30 seconds [ALL-62]", async () => {
    const start = performance.now();
    const { status, stdout, stderr } = await run("smoke", [server.url]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.match(/^ok +\S+/gm)?.map((line) => line.split(/ +/)[1])).toEqual([
      "health",
      "oracle",
      "registry",
      "phone",
      "query-gateway",
    ]);
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test("leaves nothing in the registry [ALL-62]", async () => {
    const headers = { Authorization: `Bearer ${KEY}` };
    const changes = () => fetch(`${server.url}/v1/changes?latest=0`, { headers }).then((response) => response.text());
    const before = await changes();
    expect((await run("smoke", [server.url])).status).toBe(0);
    expect(await changes()).toBe(before);
  });

  test("names the surface that fails, and exits with 1 [ALL-62]", async () => {
    const url = await faultyServer({ ORACLE_SIGNING_SEED: "not-a-seed" });
    const { status, stdout } = await run("smoke", [url]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^failed +oracle +/m);
    expect(stdout).toMatch(/^Failed: health, oracle/m);
    expect(stdout).toContain("ORACLE_SIGNING_SEED");
    expect(stdout).not.toContain("not-a-seed");
  });

  test("a server that does not answer is a failure, and two addresses are wrong usage [ALL-62]", async () => {
    const port = await freePort();
    expect((await run("smoke", [`http://localhost:${port}`])).status).toBe(1);
    expect((await run("smoke", ["http://a", "http://b"])).status).toBe(2);
  });
});

describe("npm run doctor", () => {
  test("finds no fault in a server that works [ALL-63]", async () => {
    const { status, stdout, stderr } = await run("doctor", [server.url]);
    expect([status, stderr, stdout]).toEqual([0, "", expect.stringContaining("No fault was found.")]);
  });

  test.each<{ variables: Readonly<Record<string, string>>; fault: string }>([
    { variables: { PIN_ENCRYPTION_KEY: "short-pin-key" }, fault: "PIN_ENCRYPTION_KEY of the surface ussd" },
    { variables: { ORACLE_SIGNING_SEED: "not-a-seed" }, fault: "ORACLE_SIGNING_SEED of the surface oracle" },
    { variables: { GATEWAY_CONFIG: "{no-json" }, fault: "GATEWAY_CONFIG of the surface query-gateway" },
    { variables: { SURFACE_HOSTS: '{"localhost":["registry","oracle","query-gateway"]}' }, fault: "phone: " },
  ])("names the fault $fault and its fix, without the value [ALL-63]", async ({ variables, fault }) => {
    const { status, stdout } = await run("doctor", [await faultyServer(variables)]);
    expect([status, stdout]).toEqual([1, expect.stringContaining(fault)]);
    expect(stdout).toContain("Fix: ");
    for (const value of [...Object.values(variables), KEY, ADMIN_TOKEN]) expect(stdout).not.toContain(value);
  });

  test("a wrong key of the registry is named [ALL-63]", async () => {
    const { status, stdout } = await run("doctor", [server.url], { REGISTRY_API_KEY: "a-wrong-key-of-the-test" });
    expect([status, stdout]).toEqual([1, expect.stringContaining("issue a key with domains:read")]);
    expect(stdout).not.toContain("a-wrong-key-of-the-test");
  });

  test("a fresh clone's environment has no database; a server that does not answer is exit code 3 [ALL-63]", async () => {
    const { status, stdout } = await run("doctor", ["--env", "production"]);
    expect([status, stdout]).toEqual([1, expect.stringContaining("env.production in wrangler.toml has no database")]);
    expect((await run("doctor", [`http://localhost:${await freePort()}`])).status).toBe(3);
  });
});
