/** The registry for a developer: `npm start`, `npm run keys`, the documented curl with the real curl (V1). */
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { runProgram } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");
let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
});

function run(command: string, args: readonly string[]) {
  return runProgram(command, args, { cwd: projectRoot });
}

test("a key is created by the command line, a domain by the documented curl, and read back at once", async () => {
  const issued = await run(process.execPath, ["scripts/keys.ts", "create", "--name", "x", "--url", server.url]);
  expect([issued.status, issued.stdout]).toEqual([0, expect.stringMatching(/^twe_test_[0-9A-Za-z]{49}\n$/)]);
  const authorization = `Authorization: Bearer ${issued.stdout.trim()}`;
  const body =
    '{"type":"Project","protocol":"did:ixo:protocol/clean-cooking","metadata":{"name":"Clean Cooking Project"}}';
  const address = `${server.url}/v1/domains`;
  const created = await run("curl", ["-si", "-X", "POST", address, "-H", authorization, "-d", body]);
  expect(created.stdout).toMatch(/^HTTP\/1\.1 201/);
  expect(created.stdout).toMatch(/^etag: "v1"/im);
  const path = /^location: (\S+)/im.exec(created.stdout)?.[1] ?? "";
  expect(path).toMatch(/^\/v1\/domains\/did:ixo:entity:[0-9a-f]{32}$/);
  const read = JSON.parse((await run("curl", ["-s", server.url + path, "-H", authorization])).stdout) as Record<
    string,
    unknown
  >;
  expect(read).toMatchObject({
    type: "Project",
    class: "did:ixo:protocol/clean-cooking",
    name: "Clean Cooking Project",
    verificationStatus: "AwaitingVerification",
  });
  expect(String((read["controllers"] as string[])[0])).toMatch(/^did:key:z6Mk/);
});

test("the scheduled handler can be called as npm start does", async () => {
  const response = await fetch(`${server.url}/cdn-cgi/local/scheduled`);
  expect([response.status, await response.text()]).toEqual([200, "ok"]);
});
