/** `npm run token` against the oracle's own routes: its tokens sign in, and the key stays in its file. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { tokenCommand } from "../../scripts/token/arguments.ts";
import { exitCodes, runToken } from "../../scripts/token/run-token.ts";

const seed = "01".repeat(32);

interface RunOptions {
  readonly env?: object;
  readonly offline?: boolean;
  /** Sent by another server instead of the oracle's DID document. */
  readonly document?: object;
}

async function run(line: string, options: RunOptions = {}) {
  const { edge } = await edgeOverObjects(options.env);
  const home = temporaryDirectory();
  const printed: string[] = [];
  const noted: string[] = [];
  const parsed = tokenCommand.parse(line.split(" ").filter(Boolean), {});
  if (parsed === "help" || parsed instanceof Error) throw new Error("the line is wrong");
  const code = await runToken(parsed, {
    environment: { TWINEDGE_HOME: home },
    projectDirectory: "/nowhere",
    print: (text) => printed.push(text),
    note: (text) => noted.push(text),
    fetch: async (url) => {
      if (options.offline === true) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
      if (options.document !== undefined) return Response.json(options.document);
      return edge.call("GET", new URL(url).pathname);
    },
    now: Date.now,
    randomSeed: () => new Uint8Array(32).fill(1),
  });
  const statusOf = async (headers: Record<string, string>) => (await edge.call("GET", "/sessions", { headers })).status;
  return { code, printed, noted, home, edge, statusOf };
}

test("the output is a script whose tokens sign in; the key stays in the chat client's file and is not shown", async () => {
  const { code, printed, noted, home, edge, statusOf } = await run("");
  expect([code, noted]).toEqual([exitCodes.done, []]);
  const script = printed.join("\n");
  const values = execFileSync("sh", ["-c", `${script}\nprintf '%s\\n' "$ORACLE" "$INVOCATION" "$DELEGATION"`], {
    encoding: "utf8",
  });
  const [oracle, invocation = "", delegation = ""] = values.trim().split("\n");
  expect(oracle).toBe("http://localhost:3000");
  expect(await statusOf({ Authorization: `Bearer ${invocation}`, "X-Auth-Type": "ucan" })).toBe(200);
  expect(await statusOf({ "x-ucan-delegation": delegation })).toBe(200);
  expect(script).toContain(edge.oracleDid);
  expect(readFileSync(join(home, "chat/identity"), "utf8").trim()).toBe(seed);
  expect(script).not.toContain(seed);
});

test("--show-key shows the key on standard error", async () => {
  const { printed, noted } = await run("--show-key");
  expect(noted.join()).toContain(seed);
  expect(printed.join()).not.toContain(seed);
});

test("prints one token alone, and all as JSON", async () => {
  const { printed, statusOf } = await run("--invocation");
  expect(await statusOf({ Authorization: `Bearer ${printed.join()}`, "X-Auth-Type": "ucan" })).toBe(200);
  const json = JSON.parse((await run("--json --ttl 900")).printed.join()) as Record<string, Record<string, string>>;
  expect(json).toMatchObject({ did: expect.stringMatching(/^did:key:z6Mk/), audience: expect.stringMatching(/^did:/) });
  const left = Date.parse(json["invocation"]?.["expiresAt"] ?? "") - Date.now();
  expect(left).toBeGreaterThan(890_000);
  expect(left).toBeLessThanOrEqual(900_000);
});

test("accepts another key, with another DID that the oracle knows", async () => {
  const file = join(temporaryDirectory(), "key");
  writeFileSync(file, `${"02".repeat(32)}\n`);
  const own = JSON.parse((await run(`--key ${file} --json`)).printed.join()) as { did: string };
  const env = { STATIC_DID_KEYS: JSON.stringify({ "did:ixo:ixo1user": [own.did] }) };
  const { printed, statusOf } = await run(`--key ${file} --did did:ixo:ixo1user --invocation`, { env });
  expect(await statusOf({ Authorization: `Bearer ${printed.join()}`, "X-Auth-Type": "ucan" })).toBe(200);
});

test("a server's name cannot inject commands into the script", async () => {
  const proof = join(temporaryDirectory(), "executed");
  const { code, printed, noted } = await run("", { document: { id: `did:web:oracle\ntouch ${proof}\n#` } });
  execFileSync("sh", ["-c", `eval "$1"`, "sh", printed.join("\n")]);
  expect(existsSync(proof)).toBe(false);
  expect([code, printed]).toEqual([exitCodes.unreachable, []]);
  expect(noted.join()).toContain("names no DID");
});

test("an address and the name of a key file are quoted in the script and never run as commands", async () => {
  const key = join(temporaryDirectory(), "key\nexit");
  writeFileSync(key, `${seed}\n`);
  const url = "http://oracle.test/it's$(id)";
  const { printed } = await run(`--audience did:ixo:ixo1o --url ${url} --key ${key}`);
  const oracle = execFileSync("sh", ["-c", `eval "$1"; printf %s "$ORACLE"`, "sh", printed.join("\n")]);
  expect(oracle.toString()).toBe(url);
});

test("works with an unreachable oracle if the audience is given", async () => {
  const away = await run("", { offline: true });
  expect([away.code, away.printed, away.noted]).toEqual([
    exitCodes.unreachable,
    [],
    ["npm run token: Cannot reach the server at http://localhost:3000: connect ECONNREFUSED. Start it with: npm start"],
  ]);
  const given = await run("--audience did:ixo:ixo1o", { offline: true });
  expect([given.code, given.noted]).toEqual([exitCodes.done, []]);
});

test("reports a server without an oracle, and an invalid key file", async () => {
  const none = await run("", { env: { ORACLE_SIGNING_SEED: "", ORACLE_DID: "did:ixo:ixo1o" } });
  expect([none.code, none.noted.join()]).toEqual([
    exitCodes.unreachable,
    expect.stringContaining("Set its DID with --audience"),
  ]);
  const missing = await run("--key /nowhere/key");
  expect([missing.code, missing.noted]).toEqual([exitCodes.usage, ["npm run token: There is no key in /nowhere/key."]]);
});
