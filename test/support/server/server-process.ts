/**
 * The process that holds the Workers runtimes of running servers, one process for all that a test worker starts: a server is up as
 * soon as its runtime is, and the Node part is loaded once. Messages come from running-server.ts. A server is killed as a power cut
 * would: its runtime ends by SIGKILL. The process ends with its parent.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type LegacyWorkerOptions } from "miniflare";
import { readDevVarsFile } from "../../../scripts/start/dev-vars.ts";

/** The settings of one server. */
export interface ServerSettings {
  /** The folder of a built Worker: `bundle/` and `bindings.json`. */
  readonly built: string;
  readonly port: number;
  readonly storage: string;
  /** Overrides those of its wrangler.toml, and of `.dev.vars` if it uses them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly hasDevVars: boolean;
}

/** Starts the server with this number, or kills it. */
export interface ServerRequest {
  readonly server: number;
  readonly start?: ServerSettings;
}

/** A line of the server's log, or the end of a request, with a reason if it failed. */
export interface ServerMessage {
  readonly server: number;
  readonly line?: string;
  readonly failed?: string;
}

/** The interval of `npm start`, milliseconds. */
const SCHEDULE_INTERVAL = 60_000;

interface Running {
  readonly miniflare: Miniflare;
  readonly schedule: ReturnType<typeof setInterval>;
}

const running = new Map<number, Running>();
const tell = (message: ServerMessage): void => void process.send?.(message);

class ServerLog extends Log {
  readonly #server: number;
  constructor(server: number) {
    super(LogLevel.WARN);
    this.#server = server;
  }
  protected override log(line: string): void {
    tell({ server: this.#server, line });
  }
}

async function start(server: number, settings: ServerSettings): Promise<void> {
  const { built, port, storage, variables, hasDevVars } = settings;
  const bundle = join(built, "bundle");
  const bindings = JSON.parse(readFileSync(join(built, "bindings.json"), "utf8")) as LegacyWorkerOptions;
  const files = readdirSync(bundle);
  const ofType = (type: "ESModule" | "Data", ending: string) =>
    files.filter((name) => name.endsWith(ending)).map((name) => ({ type, path: join(bundle, name) }));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "localhost",
      port,
      cf: false,
      log: new ServerLog(server),
      resourcePersistencePath: join(storage, "v3"),
      unsafeTriggerHandlers: true,
      handleStructuredLogs: ({ message }) => tell({ server, line: message }),
      workers: [
        {
          ...bindings,
          name: "twinedge",
          modules: [...ofType("ESModule", ".js"), ...ofType("Data", ".binpb")],
          modulesRoot: bundle,
          bindings: {
            ...(hasDevVars ? Object.fromEntries(readDevVarsFile(".dev.vars")) : bindings.bindings),
            ENVIRONMENT: "development",
            ...variables,
          },
        },
      ],
    }),
  );
  const driveSchedule = (): void =>
    void fetch(`http://localhost:${port}/cdn-cgi/local/scheduled`).catch(() => undefined);
  running.set(server, { miniflare, schedule: setInterval(driveSchedule, SCHEDULE_INTERVAL) });
  try {
    await miniflare.ready;
  } catch (error) {
    // Reports why it did not start, whatever the clean-up reports.
    await Promise.allSettled([kill(server)]);
    throw error;
  }
}

async function kill(server: number): Promise<void> {
  const known = running.get(server);
  running.delete(server);
  clearInterval(known?.schedule);
  await known?.miniflare.dispose();
}

process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  const { server, start: settings } = message as ServerRequest;
  const asked = settings === undefined ? kill(server) : start(server, settings);
  asked.then(
    () => tell({ server }),
    (error: unknown) =>
      tell({ server, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
