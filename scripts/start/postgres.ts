/**
 * `npm start -- --postgres`: the database behind the binding HYPERDRIVE. Wrangler reads the binding from a copy of wrangler.toml, and
 * the connection string from the environment of its process, so that no file and no command line has the password.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { success, type Result } from "../../platform/result.ts";
import { POSTGRES_FOLDER } from "../local-state.ts";
import { placeOf } from "../postgres/connection-url.ts";
import { startLocalPostgres } from "../postgres/local-server.ts";
import { migratePostgres } from "../postgres/migrate.ts";
import { projectRoot } from "../run-command.ts";
import { LOCAL_POSTGRES } from "./arguments.ts";

export interface StartedPostgres {
  /** In words, without the password. */
  readonly place: string;
  /** A wrangler.toml with the binding, relative to the project. */
  readonly config: string;
  /** For wrangler's process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops the server, if it is our own. */
  readonly stop: () => Promise<void>;
}

/** In the project's folder, because wrangler resolves paths and finds .dev.vars from there; git ignores it. */
const CONFIG = "wrangler.postgres.toml";
const BINDING = "HYPERDRIVE";
const CONNECTION = `CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_${BINDING}`;

/** Starts or finds the server, and migrates its database. */
export async function openPostgres(given: string, stateFolder: string): Promise<Result<StartedPostgres, string>> {
  if (given !== LOCAL_POSTGRES) return migrated(given, placeOf(given), () => Promise.resolve());
  const folder = join(stateFolder, POSTGRES_FOLDER);
  const server = await startLocalPostgres({ folder });
  if (!server.ok) return server;
  const { url, version, stop } = server.value;
  const opened = await migrated(url, `PostgreSQL ${version} in ${folder}`, stop);
  if (!opened.ok) await stop();
  return opened;
}

async function migrated(
  url: string,
  place: string,
  stop: () => Promise<void>,
): Promise<Result<StartedPostgres, string>> {
  const applied = await migratePostgres(url);
  if (!applied.ok) return applied;
  writeFileSync(join(projectRoot, CONFIG), withHyperdrive(readFileSync(join(projectRoot, "wrangler.toml"), "utf8")));
  return success({ place, config: CONFIG, environment: { [CONNECTION]: url }, stop });
}

/** Locally the id is not used, and the connection string comes from the environment. */
export function withHyperdrive(toml: string): string {
  return `# Written by npm start -- --postgres: wrangler.toml with the binding ${BINDING}.\n${toml}\n[[hyperdrive]]\nbinding = "${BINDING}"\nid = "${"0".repeat(32)}"\n`;
}
