/**
 * A local PostgreSQL server with its own data folder: created on the first start, on a free port of this machine, with a
 * random password, and stopped with the tool that started it. Local development and tests use it; nothing outside of the machine
 * reaches it.
 */
import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { failure, success, type Result } from "../../platform/result.ts";
import { answers } from "../local-state.ts";
import { runCommand } from "../run-command.ts";
import { findServerPrograms, serverUser, type ServerPrograms, type ServerUser } from "./server-programs.ts";

export interface LocalPostgres {
  /** With the password: never print it. */
  readonly url: string;
  readonly version: number;
  /** The id of the server's process. */
  readonly pid: number;
  /** Resolves when the data is on the disk and the server has ended. */
  readonly stop: () => Promise<void>;
}

export interface LocalPostgresOptions {
  /** Created if it does not exist; it belongs to the server alone. */
  readonly folder: string;
  /** Further settings of the server, such as `fsync=off` for tests. */
  readonly settings?: readonly string[];
}

const USER = "twinedge";
/** Created by initdb. */
const DATABASE = "postgres";
const PASSWORD_BYTES = 24;
/** Milliseconds: a start after a power cut replays the log first. Only ends a start that hangs. */
const START_TIMEOUT = 120_000;
const READY = "database system is ready to accept connections";

/** The server over the folder: the one that runs, which `stop` leaves alone, or one that is started. */
export async function useLocalPostgres(options: LocalPostgresOptions): Promise<Result<LocalPostgres, string>> {
  const running = await runningPostgres(options.folder);
  return running === undefined ? startLocalPostgres(options) : success(running);
}

/** Lines of postmaster.pid: the process, the folder, the start, the port. */
async function runningPostgres(folder: string): Promise<LocalPostgres | undefined> {
  const data = join(folder, "data");
  if (!existsSync(join(data, "postmaster.pid"))) return undefined;
  const [pid = "", , , port = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  if (!(await answers(Number(port), "127.0.0.1"))) return undefined;
  return {
    url: urlOf(readFileSync(join(folder, "password"), "utf8"), Number(port)),
    version: Number(readFileSync(join(data, "PG_VERSION"), "utf8")),
    pid: Number(pid),
    stop: () => Promise.resolve(),
  };
}

function urlOf(password: string, port: number): string {
  return `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

export async function startLocalPostgres(options: LocalPostgresOptions): Promise<Result<LocalPostgres, string>> {
  const { folder, settings = [] } = options;
  const programs = findServerPrograms();
  if (!programs.ok) return programs;
  const user = serverUser();
  if (!user.ok) return user;
  const place = { folder, data: join(folder, "data"), secret: join(folder, "password"), user: user.value };
  const created = existsSync(join(place.data, "PG_VERSION"))
    ? sameVersion(place, programs.value)
    : await create(place, programs.value);
  if (!created.ok) return created;
  return run(place, programs.value, settings);
}

interface Place {
  readonly folder: string;
  readonly data: string;
  /** A file with the password, which only its owner reads. */
  readonly secret: string;
  readonly user: ServerUser | undefined;
}

function sameVersion({ folder, data }: Place, { version, postgres }: ServerPrograms): Result<undefined, string> {
  const written = readFileSync(join(data, "PG_VERSION"), "utf8").trim();
  if (Number(written) === version) return success(undefined);
  return failure(
    `${folder} was created by PostgreSQL ${written}, and ${postgres} has version ${version}: ` +
      "install the older version, or remove the folder and its data",
  );
}

async function create(place: Place, { initdb }: ServerPrograms): Promise<Result<undefined, string>> {
  const { folder, data, secret, user } = place;
  mkdirSync(folder, { recursive: true });
  const closed = user === undefined ? undefined : closedFolder(folder);
  if (closed !== undefined) {
    return failure(
      `PostgreSQL does not run as root, and the user ${user?.name} cannot enter ${closed}: choose another folder with --state`,
    );
  }
  // The rest of an initdb that was interrupted.
  rmSync(data, { recursive: true, force: true });
  writeFileSync(secret, randomBytes(PASSWORD_BYTES).toString("hex"), { mode: 0o600 });
  chmodSync(folder, 0o700);
  if (user !== undefined) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  // The same on every machine: bytes decide the order, as in SQLite.
  const args = ["--pgdata", data, "--username", USER, "--pwfile", secret, "--auth", "scram-sha-256"];
  const { code, output } = await runCommand(
    initdb,
    [...args, "--encoding", "UTF8", "--locale", "C", "--no-sync"],
    { ...process.env, LC_ALL: "C" },
    user,
  );
  return code === 0 ? success(undefined) : failure(`initdb could not create ${data}:\n${output}`);
}

/** The first folder above that only its owner can enter. */
function closedFolder(folder: string): string | undefined {
  const EVERYONE_ENTERS = 0o001;
  const above: string[] = [];
  for (let path = dirname(folder); ; path = dirname(path)) {
    above.unshift(path);
    if (path === dirname(path)) break;
  }
  return above.find((path) => (statSync(path).mode & EVERYONE_ENTERS) === 0);
}

async function run(
  { data, secret, user }: Place,
  { postgres, version }: ServerPrograms,
  settings: readonly string[],
): Promise<Result<LocalPostgres, string>> {
  const port = await freePort();
  const options = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...settings];
  const args = ["-D", data, ...options.flatMap((option) => ["-c", option])];
  const guardian = fork(join(import.meta.dirname, "guardian.ts"), [JSON.stringify(user ?? null), postgres, ...args], {
    env: { ...process.env, LC_ALL: "C" },
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Its own group, for the same reason as the server's.
    detached: true,
  });
  const ended = new Promise<void>((end) => guardian.once("close", () => end()));
  const log = await untilReady(guardian, ended);
  if (!log.isReady) {
    guardian.kill("SIGTERM");
    await ended;
    return failure(`the PostgreSQL server over ${data} did not start:\n${log.text}`);
  }
  const password = readFileSync(secret, "utf8");
  return success({
    url: urlOf(password, port),
    version,
    pid: Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]),
    async stop() {
      guardian.kill("SIGTERM");
      await ended;
    },
  });
}

/** Resolves with the log when the server accepts connections, has ended, or takes too long. */
async function untilReady(
  guardian: ChildProcess,
  ended: Promise<void>,
): Promise<{ readonly isReady: boolean; readonly text: string }> {
  const lines: string[] = [];
  let late: ReturnType<typeof setTimeout> | undefined;
  const isReady = await new Promise<boolean>((tell) => {
    for (const stream of [guardian.stdout, guardian.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (line.includes(READY)) tell(true);
        // The rest is read, so that the server never waits for a reader, and dropped.
        lines.splice(0, lines.length - KEPT_LINES);
      });
    }
    void ended.then(() => tell(false));
    late = setTimeout(() => tell(false), START_TIMEOUT);
  });
  clearTimeout(late);
  return { isReady, text: lines.join("\n") };
}

/** Lines of the log that explain a failed start. */
const KEPT_LINES = 50;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}
