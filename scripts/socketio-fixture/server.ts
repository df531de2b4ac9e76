/** Runs the fixture Worker (test/support/socketio/fixture), or another with a socket server, in workerd on a port. */
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { projectRoot } from "../run-command.ts";
import { runWrangler } from "../wrangler.ts";

export interface SocketWorker {
  /** Path of its wrangler.toml. */
  readonly configuration: string;
  /** Class names by binding. */
  readonly objects: Readonly<Record<string, string>>;
}

const fixture: SocketWorker = {
  configuration: join(projectRoot, "test/support/socketio/fixture/wrangler.toml"),
  objects: { ENGINE: "EchoEngine", SOCKETS: "EchoSockets", TEST: "TestSockets" },
};

/**
 * @param folder for the bundle and the storage; objects keep the storage of an earlier start.
 * @returns a function that stops it.
 * @throws with the message of wrangler or workerd if it does not start.
 */
export async function startFixture(
  port: number,
  folder: string,
  { configuration, objects } = fixture,
): Promise<() => Promise<void>> {
  const bundle = join(folder, "bundle/worker.js");
  const command = ["deploy", "--config", configuration, "--dry-run", "--outdir", dirname(bundle)];
  const { code, output } = await runWrangler(command);
  if (code !== 0) throw new Error(output);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      logRequests: false,
      resourcePersistencePath: join(folder, "storage"),
      workers: [
        {
          name: "socketio-fixture",
          modules: [{ type: "ESModule", path: bundle }],
          modulesRoot: dirname(bundle),
          compatibilityDate: "2026-11-01",
          compatibilityFlags: ["nodejs_compat"],
          durableObjects: Object.fromEntries(
            Object.entries(objects).map(([binding, className]) => [binding, { className, useSQLite: true }]),
          ),
          unsafeDirectSockets: [{ host: "localhost", port }],
        },
      ],
    }),
  );
  await miniflare.ready;
  return () => miniflare.dispose();
}
