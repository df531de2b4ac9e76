/** `npm start -- --postgres` as a developer uses it: a domain's life over HTTP, and its rows in PostgreSQL. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Received } from "../support/server/received.ts";
import { freePort } from "../support/server/free-port.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";
import { hasPostgres } from "../support/storage/postgres-server.ts";

const project = resolve(import.meta.dirname, "../..");
const KEY = "the-key-of-a-developer-on-postgres";
const VOTERS = ["did:web:one.example", "did:web:two.example"];
const keyOf = (did: string) => `the-key-of-${did.replaceAll(/\W/g, "-")}`;
const keys = [
  {
    key: KEY,
    did: "did:web:developer.example",
    scopes: ["registry:admin", "verification:propose"],
    role: "program",
  },
  ...VOTERS.map((did) => ({ key: keyOf(did), did, scopes: ["domains:read", "verification:vote"] })),
];

describe.runIf(hasPostgres)("npm start -- --postgres", () => {
  const state = mkdtempSync(join(tmpdir(), "twinedge-start-postgres-"));
  // The server's own user, if the tests run as root, has to enter it.
  chmodSync(state, 0o755);
  let server: ChildProcess;
  let output = "";
  let base = "";

  beforeAll(async () => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    const words = ["start", "--", "--postgres", "--port", String(port), "--state", state];
    server = spawn("npm", [...words, "--var", `REGISTRY_BOOTSTRAP_KEYS=${JSON.stringify(keys)}`], {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    await vi.waitUntil(async () => (await health()) === 200, { timeout: 240_000, interval: 100 });
  });
  afterAll(async () => {
    const ended = server.exitCode === null ? once(server, "close") : undefined;
    server.kill("SIGTERM");
    await ended;
    removeDirectory(state);
  });

  async function health(): Promise<number> {
    if (server.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    const response = await fetch(`${base}/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    return response?.status ?? 0;
  }

  async function ask(method: string, path: string, key: string, body?: object): Promise<Received> {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}\n${output}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  async function inPostgres(sql: string): Promise<readonly unknown[]> {
    const data = join(state, "postgres");
    const [, , , port] = readFileSync(join(data, "data/postmaster.pid"), "utf8").split("\n");
    const password = readFileSync(join(data, "password"), "utf8");
    const client = new Client({
      user: "twinedge",
      password,
      host: "127.0.0.1",
      port: Number(port),
      database: "postgres",
    });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  }

  test("create, vote, list and GraphQL, with every row in PostgreSQL [RG-303]", async () => {
    for (const did of VOTERS) await ask("PUT", `/v1/voters/${did}`, KEY, { weight: 1 });
    const metadata = { name: "Solar roofs" };
    const { id } = await ask("POST", "/v1/domains", KEY, {
      type: "Project",
      class: "did:ixo:protocol/solar",
      metadata,
    });
    const { id: proposal } = await ask("POST", `/v1/domains/${id}/proposals`, KEY, { title: "Verify", package: {} });
    for (const did of VOTERS) await ask("POST", `/v1/proposals/${proposal}/votes`, keyOf(did), { option: "yes" });
    expect(await ask("GET", `/v1/domains/${id}`, KEY)).toMatchObject({ verificationStatus: "Verified" });
    const { data } = await ask("GET", "/v1/domains?q=solar", KEY);
    expect(data).toMatchObject([{ id }]);
    const query = `{ entities(filter: { name: { includes: "roofs" } }) { nodes { id } totalCount } }`;
    expect(await ask("POST", "/graphql", KEY, { query })).toMatchObject({
      data: { entities: { nodes: [{ id }], totalCount: 1 } },
    });
    expect(await inPostgres("SELECT name, verification_status FROM domains")).toEqual([
      { name: "Solar roofs", verification_status: "Verified" },
    ]);
    expect(await inPostgres("SELECT count(*)::int AS votes FROM votes")).toEqual([{ votes: VOTERS.length }]);
  });
});
