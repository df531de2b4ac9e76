/** The PostgreSQL server of this machine: the programs, and the user that runs them, since the server refuses to run as root. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { failure, success, type Result } from "../../platform/result.ts";

export interface ServerPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version. */
  readonly version: number;
}

export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The oldest major version that the schema runs on. */
const OLDEST_VERSION = 15;
/** Debian and Ubuntu keep the programs of each major version here, outside of PATH. */
const DEBIAN_FOLDER = "/usr/lib/postgresql";
/** In this order: the package creates the first, every system has the second. */
const USERS = ["postgres", "nobody"];

export interface Places {
  readonly path: string;
  readonly debianFolder: string;
}

const systemPlaces = (): Places => ({ path: process.env["PATH"] ?? "", debianFolder: DEBIAN_FOLDER });

/** The programs on PATH, or those of the newest version in Debian's folder; or a sentence that says what to install. */
export function findServerPrograms(places: Places = systemPlaces()): Result<ServerPrograms, string> {
  const folders = [...places.path.split(delimiter).filter((folder) => folder !== ""), ...debianFolders(places)];
  const folder = folders.find((each) => ["initdb", "postgres"].every((name) => isProgram(join(each, name))));
  if (folder === undefined) {
    return failure(
      `no PostgreSQL server was found: initdb and postgres are neither on PATH nor in ${places.debianFolder}. ` +
        "Install one (Debian and Ubuntu: apt-get install postgresql), or name a running one with a URL",
    );
  }
  const postgres = join(folder, "postgres");
  const version = versionOf(postgres);
  if (version < OLDEST_VERSION) {
    return failure(`${postgres} has version ${version}; PostgreSQL ${OLDEST_VERSION} or newer is needed`);
  }
  return success({ initdb: join(folder, "initdb"), postgres, version });
}

function debianFolders({ debianFolder }: Places): readonly string[] {
  if (!existsSync(debianFolder)) return [];
  const versions = readdirSync(debianFolder).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(debianFolder, version, "bin"));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(postgres: string): number {
  const printed = execFileSync(postgres, ["--version"], { encoding: "utf8" });
  return Number(/(\d+)(?:\.\d+|devel|beta|rc)/.exec(printed)?.[1] ?? "0");
}

/** Undefined for a user other than root, who runs the server as it is. */
export function serverUser(
  uid = process.getuid?.(),
  accounts = readAccounts(),
): Result<ServerUser | undefined, string> {
  if (uid !== 0) return success(undefined);
  const user = USERS.map((name) => accountOf(name, accounts)).find((found) => found !== undefined);
  if (user !== undefined) return success(user);
  return failure(`PostgreSQL does not run as root, and this system has no user ${USERS.join(" or ")} to run it as`);
}

function readAccounts(): string {
  return existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
}

/** The format of passwd(5): name, password, user id, group id. */
function accountOf(name: string, accounts: string): ServerUser | undefined {
  const line = accounts.split("\n").find((each) => each.startsWith(`${name}:`));
  const [, , uid = "", gid = ""] = line?.split(":") ?? [];
  return uid === "" || gid === "" ? undefined : { name, uid: Number(uid), gid: Number(gid) };
}
