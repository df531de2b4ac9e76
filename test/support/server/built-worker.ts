/**
 * Builds the Worker once for all end-to-end tests: its bundle as deployed, its bindings of wrangler.toml, and a migrated local
 * database. Each server starts from these within a second or two, where `npm start` takes ten.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildAssets } from "../../../scripts/assets.ts";
import { runCommand, type CommandOutcome } from "../../../scripts/run-command.ts";
import { completeDevVarsFile, developmentSecrets } from "../../../scripts/start/dev-vars.ts";
import { runWrangler } from "../../../scripts/wrangler.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the built Worker: `bundle/`, `state/` and `bindings.json`. */
    builtWorker: string;
  }
}

const PRINT_BINDINGS = `import { unstable_getMiniflareWorkerOptions as read } from "wrangler";
console.log("BINDINGS " + JSON.stringify(read(process.argv[1]).workerOptions));`;

/** The build of the first project that needs it; the others of this run use it too, and so do programs that tests start. */
export const BUILT = "TWINEDGE_BUILT_WORKER";

export default async function buildWorker({ provide }: Pick<TestProject, "provide">): Promise<() => void> {
  const known = process.env[BUILT];
  if (known !== undefined) {
    provide("builtWorker", known);
    return () => undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "twinedge-built-"));
  process.env[BUILT] = folder;
  completeDevVarsFile(".dev.vars", developmentSecrets);
  succeeded(await buildAssets());
  await Promise.all([
    bundle("wrangler.toml", folder),
    runWrangler(["d1", "migrations", "apply", "DATABASE", "--local", "--persist-to", join(folder, "state")]).then(
      succeeded,
    ),
  ]);
  provide("builtWorker", folder);
  return () => {
    delete process.env[BUILT];
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Builds the Worker of another wrangler.toml, as `bundle/` and `bindings.json` of a new folder. */
export async function buildOracle(config: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-built-oracle-"));
  await bundle(config, folder);
  return folder;
}

async function bundle(config: string, folder: string): Promise<void> {
  const words = ["--no-warnings", "--input-type=module", "--eval", PRINT_BINDINGS, config];
  const [, bindings] = await Promise.all([
    runWrangler(["deploy", "--env=", `--config=${config}`, "--dry-run", "--outdir", join(folder, "bundle")]).then(
      succeeded,
    ),
    // In a separate process: wrangler is a large program.
    runCommand(process.execPath, words).then(succeeded),
  ]);
  const [, json = ""] = /^BINDINGS (.*)$/m.exec(bindings) ?? [];
  writeFileSync(join(folder, "bindings.json"), json);
}

function succeeded({ code, output }: CommandOutcome): string {
  if (code !== 0) throw new Error(`the Worker could not be built:\n${output}`);
  return output;
}
