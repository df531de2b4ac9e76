/** What the platform refuses, the rehearsal server refuses too, so that a rehearsal finds the fault. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { wranglerEnvironment, wranglerProgram } from "../../scripts/wrangler.ts";
import { startCloudflareApi, type CloudflareApi } from "../support/deploy/cloudflare-api.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const started = disposeAfterTests();
let api: CloudflareApi;
beforeAll(async () => {
  api = started(await startCloudflareApi());
});

async function deploy(settings: string, variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "worker.js"), "export class Room {}\nexport default { fetch: () => new Response() };\n");
  const config = join(folder, "wrangler.toml");
  writeFileSync(config, `name = "small"\nmain = "worker.js"\ncompatibility_date = "2026-11-01"\n${settings}`);
  return await runCommand(process.execPath, ["--no-warnings", wranglerProgram, "deploy", `--config=${config}`], {
    ...wranglerEnvironment(),
    CI: "1",
    ...api.variables,
    ...variables,
  });
}

const binding = '[[durable_objects.bindings]]\nname = "ROOM"\nclass_name = ';

test.each([
  {
    fault: "a database that does not exist",
    settings:
      '[[d1_databases]]\nbinding = "DB"\ndatabase_name = "x"\ndatabase_id = "5b1f0c3e-0000-4000-8000-000000000000"\n',
    words: "which was not found",
  },
  {
    fault: "a class without a migration",
    settings: `${binding}"Room"\n`,
    words: "not currently configured to implement",
  },
  {
    fault: "a migration of a class that is not exported",
    settings: `${binding}"Hall"\n[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Hall"]\n`,
    words: "Hall",
  },
  { fault: "a missing secret", settings: '[secrets]\nrequired = ["ADMIN_TOKEN"]\n', words: "ADMIN_TOKEN" },
])("$fault is refused [ALL-61]", async ({ settings, words }) => {
  const { code, output } = await deploy(settings);
  expect([code, output]).toEqual([1, expect.stringContaining(words)]);
  expect([...api.account.workers.keys()]).toEqual([]);
});

test("a wrong token is refused, and the Worker without a fault is deployed [ALL-61]", async () => {
  const settings = `${binding}"Room"\n[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Room"]\n`;
  const refused = await deploy(settings, { CLOUDFLARE_API_TOKEN: "wrong" });
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("Authentication error")]);
  const { code, output } = await deploy(settings);
  expect([code, output]).toEqual([0, expect.stringContaining("Current Version ID")]);
});
