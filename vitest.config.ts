import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
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

/**
 * Five projects: unit in Node beside the source, workers and plugins (by the oracle's own test kit) inside workerd, e2e on real
 * ports, and browser for measurements in a real browser. They run in this order, each with a suitable number of concurrent files;
 * `npm test` runs workers and plugins concurrently with unit.
 */
export default defineConfig({
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
        plugins: [
          cloudflareTest(async () => ({
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
                // A test that needs a token sets its own; a developer's .dev.vars must not affect tests.
                USSD_OPERATOR_TOKEN: "",
              },
              durableObjects: {
                SCRIPTED_CHAT_SESSION: { className: "ScriptedChatSession", useSQLite: true },
                // Replaces the deployed class, which is available under the name below.
                USSD_SESSION: { className: "ScriptedUssdSession", useSQLite: true },
                DEPLOYED_USSD_SESSION: { className: "UssdSession", useSQLite: true },
                SCRIPTED_OUTBOX: { className: "ScriptedOutbox", useSQLite: true },
                TEST_SOCKETS: { className: "TestSockets", useSQLite: true },
              },
            },
          })),
        ],
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
