/**
 * The process that holds the Workers runtime of one running server: the built Worker on the port and over the storage that its
 * argument names. Started by running-server.ts, which kills it as a power cut would; it ends with its parent.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type LegacyWorkerOptions } from "miniflare";
import { readDevVarsFile } from "../../scripts/start/dev-vars.ts";
import type { WorkerProcessSettings } from "./built-worker.ts";

/** As `npm start` does it; milliseconds. */
const SCHEDULE_INTERVAL = 60_000;

const { built, port, storage, variables } = JSON.parse(process.argv[2] ?? "") as WorkerProcessSettings;
process.on("disconnect", () => process.exit());

const bundle = join(built, "bundle");
const bindings = JSON.parse(readFileSync(join(built, "bindings.json"), "utf8")) as LegacyWorkerOptions;
const data = readdirSync(bundle).filter((name) => name.endsWith(".binpb"));
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "localhost",
    port,
    cf: false,
    log: new Log(LogLevel.WARN),
    resourcePersistencePath: join(storage, "v3"),
    unsafeTriggerHandlers: true,
    handleStructuredLogs: ({ message }) => void process.stdout.write(`${message}\n`),
    workers: [
      {
        ...bindings,
        name: "twinedge",
        modules: [
          { type: "ESModule", path: join(bundle, "index.js") },
          ...data.map((name) => ({ type: "Data" as const, path: join(bundle, name) })),
        ],
        modulesRoot: bundle,
        bindings: {
          ...Object.fromEntries(readDevVarsFile(".dev.vars")),
          ENVIRONMENT: "development",
          ...variables,
        },
      },
    ],
  }),
);
await miniflare.ready;
setInterval(
  () => void fetch(`http://localhost:${port}/cdn-cgi/local/scheduled`).catch(() => undefined),
  SCHEDULE_INTERVAL,
);
process.send?.("ready");
