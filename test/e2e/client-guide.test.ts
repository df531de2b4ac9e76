/** The code in docs/client-guide.md works as the page says, unchanged. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const project = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(project, "docs/client-guide.md"), "utf8");
/** Inside the project, so that its packages are found. */
const folder = join(project, "dist", `client-guide-${process.pid}`);

let server: RunningServer;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  server = await startRunningServer();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.dispose();
});

function blockOf(language: string): string {
  const [, block] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(guide) ?? [];
  if (block === undefined) throw new Error(`the guide has no ${language} block`);
  return block;
}

test("the client has at most 28 lines, and prints the answer and how it ended", async () => {
  const code = blockOf("js");
  expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(28);
  const file = join(folder, "client.mjs");
  writeFileSync(file, code);
  const run = await runProgram(process.execPath, [file, "hello there"], {
    env: { ...process.env, ORACLE: server.url },
  });
  expect([run.stdout, run.stderr, run.status]).toEqual(["You said: hello there\n[finished]\n", "", 0]);
});

test("npm run token and curl open a session and stream a turn whose frames match the table", async () => {
  const script = blockOf("sh").replace("npm run -s token", `npm run -s token -- --url ${server.url}`);
  const run = await runProgram("bash", ["-c", script], {
    cwd: project,
    env: { ...process.env, TWINEDGE_HOME: temporaryDirectory() },
  });
  const names = [...run.stdout.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name ?? "");
  expect([names[0], names.at(-1), run.stderr]).toEqual(["run", "done", ""]);
  for (const name of names) expect(guide).toContain(`| \`${name}\``);
});
