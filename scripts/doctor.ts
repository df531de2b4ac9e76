/** `npm run doctor`: the faults of an environment, each with its fix. Start reading in `doctor/`. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { environmentFindings } from "./doctor/environment-settings.ts";
import { describeFindings, type Finding } from "./doctor/finding.ts";
import { healthFindings, type HealthFindings } from "./doctor/health-findings.ts";
import { localFindings } from "./doctor/local-settings.ts";
import { surfaceFindings } from "./doctor/surface-findings.ts";
import { projectRoot } from "./run-command.ts";
import { isThisMachine, serverAddress, unreachable } from "./server-address.ts";
import { journeys } from "./smoke/journeys.ts";
import { runJourneys } from "./smoke/run-smoke.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

/** Milliseconds for all requests together. */
const TIME_LIMIT = 30_000;
const environments = ["staging", "production"];

const usage = `Usage: npm run doctor -- [URL] [--env NAME]

Names each fault of an environment, and its fix: reads the settings, asks GET /health, and makes the journeys of
npm run smoke. Without URL it examines the local server. No secret is printed.

  --env NAME   ${environments.join(" or ")}: also examines this section of wrangler.toml. Without URL, only the section
  --help       this text

REGISTRY_API_KEY and USSD_PATH_SECRET are used as in npm run smoke.

Exit codes: 0 no fault, 1 faults were found, 2 wrong usage, 3 server unreachable.
`;

const command = defineCommand({
  name: "npm run doctor",
  usage,
  options: { env: { type: "string" } },
  takesWords: true,
  read({ words, values: { env }, environment }) {
    if (words.length > 1) throw new Error("npm run doctor takes one address");
    if (env !== undefined && !environments.includes(env)) throw new Error(`--env must be ${environments.join(" or ")}`);
    const url = words.length === 0 && env !== undefined ? undefined : serverAddress(words[0], environment);
    return { url, env, environment };
  },
});

await runAs(command, async ({ url, env, environment }) => {
  const findings: Finding[] = env === undefined ? [] : [...environmentFindings(env)];
  const isLocal = url !== undefined && isThisMachine(url);
  const local = isLocal ? readDevVarsFile(join(projectRoot, ".dev.vars")) : new Map<string, string>();
  if (isLocal) findings.push(...localFindings(local));
  let isUnreachable = false;
  if (url !== undefined) {
    const health = await healthAt(url);
    isUnreachable = typeof health === "string";
    if (typeof health === "string") findings.push({ fault: health, fix: startOrCheck(isLocal) });
    else {
      findings.push(...health.faults, ...(await callSurfaces(url, environment, local)));
      for (const note of health.notes) process.stdout.write(`Note: ${note}\n`);
    }
  }
  process.stdout.write(findings.length === 0 ? "No fault was found.\n" : `${describeFindings(findings)}\n`);
  if (isUnreachable) return 3;
  return findings.length === 0 ? 0 : 1;
});

function startOrCheck(isLocal: boolean): string {
  return isLocal ? "start the server with `npm start`" : "check the address, and the DNS record of the host name";
}

async function healthAt(url: string): Promise<HealthFindings | string> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(TIME_LIMIT) });
    return healthFindings(await response.json().catch(() => undefined));
  } catch (error) {
    return unreachable(url, error);
  }
}

async function callSurfaces(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
  local: ReadonlyMap<string, string>,
): Promise<readonly Finding[]> {
  const setting = (name: string): string | undefined => environment[name] ?? local.get(name);
  const reports = await runJourneys(
    // The findings have the reports of /health already.
    journeys.filter(({ name }) => name !== "health"),
    {
      url,
      fetch,
      signal: AbortSignal.timeout(TIME_LIMIT),
      registryKey: environment["REGISTRY_API_KEY"] ?? setting("DEV_API_KEY"),
      pathSecret: setting("USSD_PATH_SECRET"),
      now: () => Date.now(),
      randomSeed: () => new Uint8Array(randomBytes(32)),
    },
  );
  return surfaceFindings(reports);
}
