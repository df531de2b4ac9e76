/** Opens the databases of a command line. */
import { join } from "node:path";
import { failure, success, type Result } from "../../platform/result.ts";
import { POSTGRES_FOLDER, runningServer } from "../local-state.ts";
import { placeOf } from "../postgres/connection-url.ts";
import { useLocalPostgres } from "../postgres/local-server.ts";
import type { Place } from "./arguments.ts";
import type { Database } from "../../shared/tables/table.ts";
import { localD1File, openSqliteFile } from "./local-d1.ts";
import { postgresEngine } from "../../shared/tables/postgres-engine.ts";
import { openPostgresRunner } from "./postgres-runner.ts";
import { openRemoteD1, remoteD1 } from "./remote-d1.ts";
import { sqliteEngine } from "../../shared/tables/sqlite-engine.ts";

export interface OpenDatabase extends Database {
  /** Also stops a server that was started for the command. */
  readonly close: () => Promise<void>;
}

export interface Opening {
  readonly stateFolder: string;
  readonly access: "read" | "write";
}

export async function openPlace(place: Place, opening: Opening): Promise<Result<OpenDatabase, string>> {
  switch (place.kind) {
    case "local-d1":
      return openLocalD1(opening);
    case "remote-d1":
      return openOverApi(place.environment);
    case "local-postgres": {
      const server = await useLocalPostgres({ folder: join(opening.stateFolder, POSTGRES_FOLDER) });
      if (!server.ok) return server;
      const opened = await openPostgres(server.value.url, server.value.stop);
      if (!opened.ok) await server.value.stop();
      return opened;
    }
    case "postgres":
      return openPostgres(place.url, () => Promise.resolve());
  }
}

async function openLocalD1({ stateFolder, access }: Opening): Promise<Result<OpenDatabase, string>> {
  const server = access === "write" ? await runningServer(stateFolder) : undefined;
  if (server !== undefined) {
    return failure(`a server is using ${stateFolder} on port ${server.port} (process ${server.pid}); stop it first`);
  }
  const file = localD1File(stateFolder);
  if (!file.ok) return file;
  const runner = openSqliteFile(file.value, access);
  return success({ place: `D1 in ${stateFolder}`, engine: sqliteEngine, runner, close: runner.close });
}

function openOverApi(environment: string): Result<OpenDatabase, string> {
  const access = remoteD1(environment, process.env);
  if (!access.ok) return access;
  const runner = openRemoteD1(access.value);
  return success({ place: `D1 of ${environment}`, engine: sqliteEngine, runner, close: runner.close });
}

async function openPostgres(url: string, stop: () => Promise<void>): Promise<Result<OpenDatabase, string>> {
  const runner = await openPostgresRunner(url);
  if (!runner.ok) return runner;
  return success({
    // The local server's port changes with each start, so it is not part of the place.
    place: `PostgreSQL at ${placeOf(url).replace(/^(127\.0\.0\.1):\d+/, "$1")}`,
    engine: postgresEngine,
    runner: runner.value,
    async close() {
      await runner.value.close();
      await stop();
    },
  });
}
