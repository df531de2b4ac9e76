import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Three projects: unit in Node beside the source, workers inside workerd, e2e on real ports. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{workers,durable-objects,scripts,bench}/**/*.test.ts"],
          // No test changes a module or a global, so files share a worker: three times faster.
          isolate: false,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            main: "./test/workers/worker.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              // The oracle's key: key 7 of test/support/ucan.ts.
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("migrations"),
                ORACLE_SIGNING_SEED: "07".repeat(32),
                LLM_PROVIDER: "local",
              },
              durableObjects: { SCRIPTED_CHAT_SESSION: { className: "ScriptedChatSession", useSQLite: true } },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.ts"],
          setupFiles: ["./test/workers/setup.ts"],
          // One runtime serves all files, and a test that aborts every object in it would reach into the others.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
