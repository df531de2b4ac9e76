/** A server whose wait limit is zero, so that every lookup is slow: the recorded wait screens and the screens after them. */
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { runProgram } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const API_KEY = "slow-flows-key-of-the-tests";

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  server = started(
    await startRunningServer({
      REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([{ key: API_KEY, did: "did:web:flows.test", scopes: ["domains:write"] }]),
      USSD_RATE_LIMIT_PER_MINUTE: "100000",
      USSD_REPLY_BUDGET_MS: "0",
      USSD_ORACLE_BUDGET_MS: "0",
    }),
  );
});

test("recorded flows of slow lookups show the wait screen, then the result when checked again [PH-40]", async () => {
  const response = await fetch(`${server.url}/v1/domains`, {
    method: "POST",
    headers: { Authorization: `Bearer ${API_KEY}` },
    body: JSON.stringify({
      type: "Project",
      protocol: "did:ixo:protocol/clean-cooking",
      metadata: { name: "Clean Cooking Project" },
    }),
  });
  const { id } = await response.json<{ id: string }>();
  const domainEnd = `domainEnd=${id.slice(-8)}`;
  const { status, stdout, stderr } = await runProgram(
    process.execPath,
    ["scripts/ussd.ts", "--replay-file", "test/flows/slow.yaml", "--set", domainEnd, "--url", server.url],
    { cwd: resolve(import.meta.dirname, "../..") },
  );
  expect([stderr, stdout.trimEnd().split("\n").at(-1)]).toEqual(["", "4 of 4 flows went as recorded."]);
  expect(status, stdout).toBe(0);
});
