import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findServerPrograms } from "./scripts/postgres/server-programs.ts";
import { oraclePool } from "./workers/oracle/testing/pool-options.ts";

/** The examples import the package; here it is its source. */
const packageInSource = {
  "twinedge/oracle/testing": `${import.meta.dirname}/workers/oracle/testing/index.ts`,
  "twinedge/oracle": `${import.meta.dirname}/workers/oracle/index.ts`,
};

/** Tests that measure how long something takes in a browser. */
const MEASURED = "test/e2e/sdk/browser*.test.ts";

/** Files that take a minute. They begin first, so that none of them runs alone at the end. */
const LONG =
  /e2e\/(?:console\/(?:every-|chat|failures|phone|registry|votes)|credits|durable|lost|slack|spending|start|sdk\/(?:conversation|example|hooks|package|restarts))[\w-]*\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await BaseSequencer.prototype.sort.call(this, files);
    return usual.toSorted((a, b) => Number(LONG.test(b.moduleId)) - Number(LONG.test(a.moduleId)));
  }
}

/** Tests wait for events. The duration depends on the machine's other work; these limits only end tests that hang. */
const waiting = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000, interval: 100 } },
};

/** The Worker in workerd, as the tests of `test/workers` need it. */
async function testWorker() {
  return {
    main: "./test/workers/worker.ts",
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      // The oracle's key: key 7 of test/support/auth/ucan.ts.
      bindings: {
        TEST_MIGRATIONS: await readD1Migrations("migrations"),
        ORACLE_SIGNING_SEED: "07".repeat(32),
        LLM_PROVIDER: "local",
        // Key 1 of test/support/ussd/accounts.ts.
        PIN_ENCRYPTION_KEY: "ab".repeat(32),
        // A test that needs a token sets it; the .dev.vars of a developer must not affect a test.
        USSD_OPERATOR_TOKEN: "",
      },
      durableObjects: {
        SCRIPTED_CHAT_SESSION: { className: "ScriptedChatSession", useSQLite: true },
        // In place of the deployed one, which is reached by the name beneath.
        USSD_SESSION: { className: "ScriptedUssdSession", useSQLite: true },
        DEPLOYED_USSD_SESSION: { className: "UssdSession", useSQLite: true },
        SCRIPTED_OUTBOX: { className: "ScriptedOutbox", useSQLite: true },
        TEST_SOCKETS: { className: "TestSockets", useSQLite: true },
      },
    },
  };
}

/** The same Worker with PostgreSQL as its database, behind the binding HYPERDRIVE as `npm start -- --postgres` has it. */
async function workerOnPostgres({ inject }: { readonly inject: (name: "postgresUrl" | "postgresTemplate") => string }) {
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${inject("postgresTemplate")}`;
  const worker = await testWorker();
  const { bindings } = worker.miniflare;
  return {
    ...worker,
    miniflare: {
      ...worker.miniflare,
      bindings: { ...bindings, ADMIN_TOKEN: "operator-token-of-32-characters!", ENVIRONMENT: "test" },
      hyperdrives: { HYPERDRIVE: url.href },
      d1Databases: { COMPARED: "compared" },
    },
  };
}

const postgresServer = findServerPrograms();
if (!postgresServer.ok) process.stderr.write(`The project postgres is left out: ${postgresServer.error}.\n`);

/** Files of the projects `unit` and `workers` that run on PostgreSQL too: those whose only binding is the database. */
const ON_BOTH_ENGINES = [
  "workers/registry/{bulk/export-walk,graphql/{connection,domain-loads},lists/columns,lists/filter/compile}.test.ts",
  "workers/registry/store/{history-shrinking,stored-columns,version-chain}.test.ts",
  "workers/registry/webhooks/sender.test.ts",
  "workers/ussd/{accounts/{accounts,login,upkeep},sms/security-notices}.test.ts",
  "oracle/plugins/{claims/batch,credits/claims-{retention,table}}.test.ts",
  "test/workers/registry/{card,changes,composite,credentials,did-resolution,domain*,errors,export,history}.test.ts",
  "test/workers/registry/{governance-races,graphql-{field-forms,queries,transport},idempotency,import*,keys,labels}.test.ts",
  "test/workers/registry/{port,proposals,quotas,repeated-votes,revocation,scopes,services,settlement}.test.ts",
  "test/workers/registry/{shown-decisions,suspension,verified-content,vote*}.test.ts",
  "test/workers/staff/*.test.ts",
  "test/workers/ussd/{accounts,login,login-phones,operators,session-index,statistics}.test.ts",
];
/** Plans and rows of D1, and the files of the runtime. */
const ON_D1_ALONE = ["test/workers/registry/domain-list-plans.test.ts"];

/** On PostgreSQL, with a server of its own; none if this machine has none. */
const onPostgres = {
  resolve: { alias: { "cloudflare:workers": `${import.meta.dirname}/test/support/storage/workers-on-postgres.ts` } },
  test: {
    name: "postgres",
    ...waiting,
    include: ["test/postgres/**/*.test.ts", ...ON_BOTH_ENGINES],
    exclude: [...ON_D1_ALONE, "test/postgres/workers/**"],
    env: { TEST_ENGINE: "postgres", PROPERTY_RUNS: process.env["PROPERTY_RUNS"] ?? "30" },
    globalSetup: ["./test/support/storage/shared-postgres.ts"],
    setupFiles: ["./test/support/storage/postgres-files.ts"],
    fileParallelism: false,
    isolate: false,
    sequence: { groupOrder: 1 },
  },
};

/** Inside workerd: the path of a deployment, with the Worker, its objects and the package of sockets. */
const onPostgresInWorkerd = {
  plugins: [cloudflareTest(workerOnPostgres)],
  test: {
    name: "postgres-workers",
    ...waiting,
    include: ["test/postgres/workers/**/*.test.ts"],
    setupFiles: ["./test/postgres/workers/setup.ts"],
    globalSetup: ["./test/support/storage/shared-postgres.ts"],
    fileParallelism: false,
    isolate: false,
    sequence: { groupOrder: 1 },
  },
};

/**
 * Six projects: unit in Node beside the source, workers and plugins (by the oracle's own test kit) inside workerd, postgres in Node on a
 * PostgreSQL server, e2e on real
 * ports, and browser for measurements in a real browser. They run in this order, each with a suitable number of concurrent files;
 * `npm test` runs workers and plugins concurrently with unit.
 */
export default defineConfig({
  // The sockets of `pg` in a Worker. A required package is resolved by this configuration, without the condition of the
  // runtime, which would be an empty module.
  resolve: { alias: { "pg-cloudflare": `${import.meta.dirname}/node_modules/pg-cloudflare/dist/index.js` } },
  test: {
    sequence: { sequencer: LongFirst },
    // Playwright informs its browser of each wait and ignores the result, so a browser that is closing causes an unhandled rejection.
    onUnhandledError({ message, stack = "" }) {
      if (message.startsWith("Target page, context or browser has been closed") && !stack.includes("    at "))
        return false;
    },
    projects: [
      {
        // Our object classes, unchanged, in Node.
        resolve: {
          alias: {
            "cloudflare:workers": `${import.meta.dirname}/test/support/storage/durable-object-in-node.ts`,
            // For the console, which bundles the SDK's source.
            "@twinedge/sdk/core": `${import.meta.dirname}/sdk/src/core/index.ts`,
          },
        },
        test: {
          name: "unit",
          include: [
            "{workers,durable-objects,oracle,socketio,shared,platform,protocol,scripts,bench,sdk,console}/**/*.test.{ts,tsx}",
          ],
          // Files share a worker: three times faster. No test changes a module, and each test restores every global that it
          // changes, since the next file's imports would see the change: Vitest itself restores globals only before the next
          // test.
          isolate: false,
          maxWorkers: "100%",
          // MiB; a worker runs a hundred files, whose short-lived objects must not fill the old generation.
          execArgv: ["--max-semi-space-size=32"],
          // Cases of each property test.
          env: { PROPERTY_RUNS: process.env["PROPERTY_RUNS"] ?? "100" },
          ...waiting,
        },
      },
      {
        plugins: [cloudflareTest(testWorker)],
        test: {
          name: "workers",
          ...waiting,
          include: ["test/workers/**/*.test.ts"],
          setupFiles: ["./test/workers/setup.ts"],
          globalSetup: ["./test/support/query-gateway/upstream-nodes.ts"],
          // One runtime serves all files, and a test that aborts every object in it would disturb the others.
          fileParallelism: false,
          // Loading the Worker again for each file takes four times as long as the tests; setup.ts empties the database.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      ...(postgresServer.ok ? [onPostgres, onPostgresInWorkerd] : []),
      {
        resolve: { alias: packageInSource },
        plugins: [
          cloudflareTest(async () =>
            oraclePool({ miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("migrations") } } }),
          ),
        ],
        test: {
          name: "plugins",
          ...waiting,
          include: ["{test/plugins,examples}/**/*.test.ts"],
          setupFiles: ["./test/workers/setup.ts"],
          globalSetup: ["./test/support/plugins/mcp-peers.ts", "./test/support/plugins/media-for-plugins.ts"],
          fileParallelism: false,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: [MEASURED],
          globalSetup: ["./test/support/server/built-worker.ts"],
          // A worker's files share its modules, its browser and the process that holds its servers.
          isolate: false,
          ...waiting,
          // Compilers and bundlers, which are written in Go: they end before garbage matters, and other files need the other core.
          env: { GOGC: "off", GOMEMLIMIT: "1GiB", GOMAXPROCS: "1" },
          // Three at once: they often wait, each for its own server (test/support/server/free-port.ts has ports for as many).
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "browser",
          include: [MEASURED],
          globalSetup: ["./test/support/server/built-worker.ts"],
          ...waiting,
          // One at a time: they measure, and a browser needs both cores.
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
