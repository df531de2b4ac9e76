/** `npm run smoke`: after a deployment, one journey through each surface. Start reading at `smoke/journeys.ts`. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { projectRoot } from "./run-command.ts";
import { isThisMachine, serverAddress } from "./server-address.ts";
import { journeys } from "./smoke/journeys.ts";
import { describeReports, exitCodes, runJourneys } from "./smoke/run-smoke.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

/** Milliseconds for all journeys together. */
const TIME_LIMIT = 30_000;

const usage = `Usage: npm run smoke -- [URL]

Makes one journey through each surface of a server, by default the local one, and prints a line for each:
/health; a chat session that is deleted again; reading the registry; a phone call that ends; a query of the gateway.
Takes at most 30 seconds, and leaves nothing behind. The chat sends one short message to the model.

  --help   this text

Environment:
  REGISTRY_API_KEY   a key with domains:read; without it, only the refusal of strangers is checked. The local server's
                     DEV_API_KEY is found in .dev.vars
  USSD_PATH_SECRET   the secret part of the phone gateway's address

Exit codes: 0 all surfaces work, 1 a surface failed, 2 wrong usage.
`;

const command = defineCommand({
  name: "npm run smoke",
  usage,
  options: {},
  takesWords: true,
  read({ words, environment }) {
    if (words.length > 1) throw new Error("npm run smoke takes one address");
    return { url: serverAddress(words[0], environment), environment };
  },
});

await runAs(command, async ({ url, environment }) => {
  const local = isThisMachine(url) ? readDevVarsFile(join(projectRoot, ".dev.vars")) : new Map<string, string>();
  const setting = (name: string): string | undefined => environment[name] ?? local.get(name);
  const start = performance.now();
  const reports = await runJourneys(journeys, {
    url,
    fetch,
    signal: AbortSignal.timeout(TIME_LIMIT),
    registryKey: environment["REGISTRY_API_KEY"] ?? setting("DEV_API_KEY"),
    pathSecret: setting("USSD_PATH_SECRET"),
    now: () => Date.now(),
    randomSeed: () => new Uint8Array(randomBytes(32)),
  });
  process.stdout.write(`${describeReports(reports, performance.now() - start)}\n`);
  return reports.every(({ passed }) => passed) ? exitCodes.done : exitCodes.failed;
});
