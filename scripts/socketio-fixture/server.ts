/** The fixture Worker (test/support/socketio/fixture) in a workerd of its own, on a port, over storage of its own. */
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { projectRoot } from "../run-command.ts";
import { runWrangler } from "../wrangler.ts";

const CONFIGURATION = "test/support/socketio/fixture/wrangler.toml";

/**
 * @param folder bundle and storage go there; with those of an earlier start, the objects go on where they were.
 * @returns how to stop it.
 * @throws with wrangler's or workerd's own words when it does not start.
 */
export async function startFixture(port: number, folder: string): Promise<() => Promise<void>> {
  const bundle = join(folder, "bundle/worker.js");
  const command = ["deploy", "--config", join(projectRoot, CONFIGURATION), "--dry-run", "--outdir", dirname(bundle)];
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
          durableObjects: {
            ENGINE: { className: "EchoEngine", useSQLite: true },
            SOCKETS: { className: "EchoSockets", useSQLite: true },
            PATIENT: { className: "PatientSockets", useSQLite: true },
          },
          unsafeDirectSockets: [{ host: "localhost", port }],
        },
      ],
    }),
  );
  await miniflare.ready;
  return () => miniflare.dispose();
}
