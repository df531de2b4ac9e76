/**
 * `npm start`: from a fresh clone to a running server. Creates the secrets, builds the assets, migrates the local database, runs
 * `wrangler dev`, and stops all of it together. The parts are in scripts/start/. It runs as `exec node`, so that a SIGTERM to npm
 * reaches it and not only the shell in between.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./assets.ts";
import { buildConsole, consoleFolders } from "./build-console.ts";
import { FILE_CONFIG, imageFault, placeImage, usesFile } from "./gateway/image-file.ts";
import { answers, claimState, runningServer } from "./local-state.ts";
import { runAs } from "./command.ts";
import { projectRoot } from "./run-command.ts";
import { announcement } from "./start/announcement.ts";
import { faultsOf, type HealthReport } from "./start/health-faults.ts";
import { watchConsole } from "./start/console-watch.ts";
import { startCommand, type StartOptions } from "./start/arguments.ts";
import { completeDevVarsFile, developmentSecrets, readDevVarsFile } from "./start/dev-vars.ts";
import { openPostgres, type StartedPostgres } from "./start/postgres.ts";
import { startServer, type Server } from "./start/server.ts";
import { runWrangler } from "./wrangler.ts";

/** A local server does not fire crons, so this tool fires them as often as the densest schedule could; milliseconds. */
const SCHEDULE_INTERVAL = 60_000;

await runAs(startCommand, start);

async function start(given: StartOptions): Promise<number> {
  const { port, stateFolder, gatewayImage } = given;
  const wrongImage = gatewayImage === undefined ? undefined : imageFault(gatewayImage);
  if (wrongImage !== undefined) return fail(wrongImage);
  const other = await runningServer(stateFolder);
  if (other !== undefined) {
    return fail(`a server is already using ${stateFolder}, on port ${other.port} (process ${other.pid})`);
  }
  if (await answers(port)) return fail(`port ${port} is taken; choose another with: npm start -- --port ${port + 1}`);

  const giveBackState = await claimState(stateFolder, port);
  try {
    return await run(given);
  } finally {
    giveBackState();
  }
}

async function run(given: StartOptions): Promise<number> {
  const { stateFolder, postgres } = given;
  if (postgres === undefined) return runOver(given, undefined);
  const opened = await openPostgres(postgres, stateFolder);
  if (!opened.ok) return fail(opened.error);
  try {
    return await runOver(given, opened.value);
  } finally {
    await opened.value.stop();
  }
}

/** @param postgres the database that replaces D1. */
async function runOver(options: StartOptions, postgres: StartedPostgres | undefined): Promise<number> {
  const { port, stateFolder, variables: given, gatewayImage } = options;
  const devVars = join(projectRoot, ".dev.vars");
  const patience = existsSync(devVars) ? "" : "; the first start takes up to half a minute";
  process.stdout.write(`Starting twinedge${patience} ...\n`);
  const secretsAdded = completeDevVarsFile(devVars, developmentSecrets);
  const kept = readDevVarsFile(devVars);
  const developmentKey = given["DEV_API_KEY"] ?? kept.get("DEV_API_KEY");
  const variables = gatewayImage === undefined ? given : servingFile(given, kept);
  if (variables === undefined)
    return fail(`GATEWAY_CONFIG has no deployment with "file" in its sets: ${gatewayImage} would not be served`);
  const unprepared = (await prepareAssets()) ?? (postgres === undefined ? await migrate(stateFolder) : undefined);
  if (unprepared !== undefined) return fail(unprepared);
  placeImage(gatewayImage);

  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const begin = (): Server =>
    startServer({
      port,
      stateFolder,
      variables: { ENVIRONMENT: "development", ...variables },
      print,
      ...(postgres !== undefined && { config: postgres.config, environment: postgres.environment }),
    });
  let server = begin();
  const endWatch = watchConsole({ folders: consoleFolders, build: buildConsole, print });
  let stopping = false;
  const stop = (): void => {
    stopping = true;
    void server.stop();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  const database = postgres?.place;
  const shown = { base: `http://localhost:${port}`, stateFolder, database, secretsAdded, developmentKey };
  for (;;) {
    const code = await serve(server, shown, () => stopping);
    if (!stopping && server.wasLost()) {
      server = begin();
      continue;
    }
    endWatch();
    return code;
  }
}

/** The variables with a configuration that serves the descriptor set; undefined if the developer's own configuration does not. */
function servingFile(
  given: StartOptions["variables"],
  kept: ReadonlyMap<string, string>,
): StartOptions["variables"] | undefined {
  const config = given["GATEWAY_CONFIG"] ?? kept.get("GATEWAY_CONFIG") ?? "";
  if (config.trim() === "") return { ...given, GATEWAY_CONFIG: FILE_CONFIG };
  return usesFile(config) ? given : undefined;
}

interface Circumstances {
  readonly base: string;
  readonly stateFolder: string;
  readonly database: string | undefined;
  readonly secretsAdded: readonly string[];
  readonly developmentKey: string | undefined;
}

/** From the first answer to the end; 0 if the end was requested. */
async function serve(server: Server, { base, ...shown }: Circumstances, isStopping: () => boolean): Promise<number> {
  const healthStatus = await server.up();
  if (healthStatus === undefined) {
    await server.stop();
    if (server.wasLost()) return 1;
    return isStopping() ? 0 : fail(`the server did not come up:\n${server.startTalk()}`);
  }
  const report = (await readJson(`${base}/health`)) as HealthReport | undefined;
  const faults = healthStatus === 200 || report === undefined ? [] : faultsOf(report);
  const { warnings = [] } = report ?? {};
  const served = { oracleDid: await oracleDid(base), hasConsole: await isServed(`${base}/console`) };
  process.stdout.write(announcement({ base, ...shown, healthStatus, faults, warnings, ...served }));
  for (const line of server.startLog()) process.stdout.write(`${line}\n`);
  const clock = handlesSchedule() ? setInterval(() => void fireSchedule(base), SCHEDULE_INTERVAL) : undefined;
  await server.ended;
  clearInterval(clock);
  if (isStopping()) return 0;
  return server.wasLost() ? 1 : fail("wrangler exited unexpectedly; its log is in .wrangler/logs");
}

async function prepareAssets(): Promise<string | undefined> {
  const { code, output } = await buildAssets();
  return code === 0 ? undefined : `the assets could not be built:\n${output}`;
}

async function migrate(stateFolder: string): Promise<string | undefined> {
  const where = ["--local", "--persist-to", stateFolder];
  const { code, output } = await runWrangler(["d1", "migrations", "apply", "DATABASE", ...where]);
  return code === 0 ? undefined : `the local database could not be migrated:\n${output}`;
}

async function oracleDid(base: string): Promise<string | undefined> {
  const { id } = ((await readJson(`${base}/.well-known/did.json`)) ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}

async function isServed(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { method: "HEAD" })).ok;
  } catch {
    return false;
  }
}

/** Undefined for a server that is stopping or answers with something else: the announcement omits it. */
async function readJson(url: string): Promise<unknown> {
  try {
    return await (await fetch(url)).json();
  } catch {
    return undefined;
  }
}

function handlesSchedule(): boolean {
  return /^\s*(?:async )?scheduled\b/m.test(readFileSync(join(projectRoot, "workers/index.ts"), "utf8"));
}

/** A failing handler appears in the Worker's log. */
async function fireSchedule(base: string): Promise<void> {
  await fetch(`${base}/cdn-cgi/local/scheduled`).catch(() => undefined);
}

function fail(reason: string): number {
  process.stderr.write(`npm start: ${reason}\n`);
  return 1;
}
