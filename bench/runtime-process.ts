/**
 * The process that holds workerd: both Workers in it, each on a separate socket, so that no proxy is between the generator and
 * either of them. Started by runtime.ts, which may kill it like a power cut; it ends with its parent.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { assertAlike, type MeasuredWorker } from "./alike.ts";
import type { RuntimeSettings } from "./runtime-settings.ts";

/** High enough that the limit, which is still counted, never refuses anything here. */
const NO_LIMIT = "1000000000";
/** The objects of bench/bare/wrangler.toml. */
const bareObjects = { BARE: "BareObject", BARE_ROOM: "BareRoom", SERVED: "ServedRoom", FAST: "FastRoom" };
/** The phone gateway's maximum. */
const USSD_LIMIT = "1000000";
/** The keys of the oracle and of the phone gateway; their values do not matter. */
const SEED = "5eed".repeat(16);

/** Also used by the bare Worker, which runs the registry's app to record its queries. */
const registrySettings = {
  ENVIRONMENT: "development",
  REGISTRY_READS_PER_MINUTE: NO_LIMIT,
  REGISTRY_WRITES_PER_MINUTE: NO_LIMIT,
  REGISTRY_PUBLIC_READS_PER_MINUTE: NO_LIMIT,
};

const oracleSettings = {
  ENVIRONMENT: "development",
  ORACLE_SIGNING_SEED: SEED,
  ORACLE_RATE_LIMIT_PER_MINUTE: NO_LIMIT,
  ORACLE_SESSIONS_PER_USER: "0",
  ORACLE_MESSAGES_PER_SESSION: "0",
  ORACLE_USER_TURNS_PER_DAY: "0",
  ORACLE_USER_TOKENS_PER_DAY: "0",
  ORACLE_USER_RUNNING_TURNS: "0",
};

/** Enough that no turn is refused. */
const ENOUGH_CREDITS = { CREDITS_ENABLED: "true", CREDITS_INITIAL: "1000000" };

const settings = JSON.parse(process.argv[2] ?? "") as RuntimeSettings;
process.on("disconnect", () => process.exit());

const { oracle, bare, authored, withPlugins, withoutPlugins } = settings.bundles;
const ownObjects = { CHAT_SESSION: "ChatSession", USER_VAULT: "UserVault" };
const pluginObjects = { ...ownObjects, CREDIT_LEDGER: "CreditLedger" };
const workers: readonly (V4WorkerOptions & MeasuredWorker)[] = [
  {
    ...workerOf("oracle", oracle, settings.ports.oracle),
    durableObjects: objects(deployedObjects()),
    d1Databases: { DATABASE: "oracle" },
    hyperdrives: hyperdrives(),
    bindings: {
      ...registrySettings,
      ...oracleSettings,
      ADMIN_TOKEN: settings.adminToken,
      PIN_ENCRYPTION_KEY: SEED,
      USSD_RATE_LIMIT_PER_MINUTE: USSD_LIMIT,
      ...settings.variables,
    },
  },
  {
    ...workerOf("bare", bare, settings.ports.bare),
    durableObjects: objects(bareObjects),
    d1Databases: { DATABASE: "bare", REGISTRY: "oracle" },
    hyperdrives: hyperdrives(),
    bindings: registrySettings,
  },
  ownOracle("authored", authored, ownObjects, {}),
  ownOracle("withPlugins", withPlugins, pluginObjects, settings.plugins),
  ownOracle("withCredits", withPlugins, pluginObjects, { ...settings.plugins, ...ENOUGH_CREDITS }),
  ownOracle("withoutPlugins", withoutPlugins, ownObjects, {}),
];
assertAlike(workers);
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    logRequests: false,
    resourcePersistencePath: settings.stateFolder,
    // The Worker's log is written as in production, and ignored here.
    handleStructuredLogs: () => undefined,
    workers: [...workers],
  }),
);
await miniflare.ready;
if (settings.migrations !== undefined) {
  const database = await miniflare.getD1Database("DATABASE", "oracle");
  const queries = (await readD1Migrations(settings.migrations)).flatMap((migration) => migration.queries);
  await database.batch(queries.map((query) => database.prepare(query)));
}
process.send?.("ready");

/** An oracle as a separate Worker. */
function ownOracle(
  name: "authored" | "withPlugins" | "withCredits" | "withoutPlugins",
  bundle: string,
  classes: Readonly<Record<string, string>>,
  bindings: Readonly<Record<string, string>>,
) {
  return {
    ...workerOf(name, bundle, settings.ports[name]),
    durableObjects: objects(classes),
    d1Databases: { DATABASE: "oracle" },
    bindings: { ...oracleSettings, ...bindings },
  };
}

function workerOf(name: string, path: string, port: number) {
  const { compatibility_date, compatibility_flags } = compatibility();
  return {
    name,
    modules: [{ type: "ESModule" as const, path }, ...dataBeside(path)],
    modulesRoot: dirname(path),
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    assets: assets(),
  };
}

/** Files that the bundle imports as bytes are in its folder: the descriptors of the query gateway. */
function dataBeside(path: string) {
  const folder = dirname(path);
  const names = readdirSync(folder).filter((name) => name.endsWith(".binpb"));
  return names.map((name) => ({ type: "Data" as const, path: join(folder, name) }));
}

function objects(classes: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(classes).map(([binding, className]) => [binding, { className, useSQLite: true }]),
  );
}

/** The measured Worker and the bare one reach the same server in the same way. */
function hyperdrives(): Readonly<Record<string, string>> {
  return settings.postgres === undefined ? {} : { HYPERDRIVE: settings.postgres };
}

/** Bindings and classes of the local environment, the first in wrangler.toml. */
function deployedObjects(): Readonly<Record<string, string>> {
  const [local = ""] = readFileSync("wrangler.toml", "utf8").split(/^\[env\./m);
  const bindings = local.matchAll(/^\[\[durable_objects\.bindings\]\]\nname = "(.+)"\nclass_name = "(.+)"$/gm);
  return Object.fromEntries([...bindings].map(([, name = "", className = ""]) => [name, className]));
}

/** The assets of wrangler.toml, with the Worker first. Every Worker has them, since the local asset router costs each request time. */
function assets() {
  const routerConfig = { has_user_worker: true, invoke_user_worker_ahead_of_assets: true };
  return { directory: "dist/assets", binding: "ASSETS", routerConfig, assetConfig: compatibility() };
}

/** As in wrangler.toml, so that both Workers run like the deployed one. */
function compatibility() {
  const text = readFileSync("wrangler.toml", "utf8");
  const [, compatibility_date = ""] = /^compatibility_date = "(.+)"$/m.exec(text) ?? [];
  const [, flags = "[]"] = /^compatibility_flags = (\[.*\])$/m.exec(text) ?? [];
  return { compatibility_date, compatibility_flags: JSON.parse(flags) as string[] };
}
