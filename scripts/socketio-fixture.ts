/**
 * `npm run socketio:fixture`: serves the server for the official protocol suites of Engine.IO v4 and Socket.IO v5, with socketio in
 * real Durable Objects. It prints one line when it is up, and runs until a signal ends it. The suites allow 200 ms for a round
 * trip, so clients connect to workerd itself, without the proxies of `wrangler dev`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAs } from "./command.ts";
import { fixtureCommand } from "./socketio-fixture/arguments.ts";
import { startFixture } from "./socketio-fixture/server.ts";

/** Milliseconds between two checks whether the parent process is alive. */
const PARENT_INTERVAL = 500;

await runAs(fixtureCommand, async ({ port }) => {
  await serve(port);
  return undefined;
});

/** Runs until a signal ends the process, and workerd with it. */
async function serve(port: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-socketio-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  try {
    await startFixture(port, folder);
    process.stdout.write(`Engine.IO at http://localhost:${port}/engine.io/, Socket.IO at /socket.io/\n`);
    endWithParent();
  } catch (thrown) {
    process.stderr.write(`npm run socketio:fixture: it did not start\n${String(thrown)}\n`);
    process.exit(1);
  }
}

/** A killed npm leaves its child running, which would keep the port. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, PARENT_INTERVAL).unref();
}
