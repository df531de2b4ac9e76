/**
 * An application that has only the SDK's npm package: the package is packed and unpacked into an empty folder outside the
 * repository, and its dependencies are linked from here, so that no network is needed. Only packages that npm would install are
 * linked.
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { buildSdk } from "../../../scripts/sdk/build.ts";

const repository = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

interface Manifest {
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Builds and packs the SDK outside sdk/dist, so that tests can do it concurrently; returns the tarball's path. */
export async function packSdk(target: string): Promise<string> {
  const staging = mkdtempSync(join(tmpdir(), "twinedge-sdk-staging-"));
  try {
    await buildSdk(join(staging, "dist"));
    for (const file of ["package.json", "LICENSE", ...(manifestIn(join(repository, "sdk")).files ?? [])])
      if (file !== "dist") cpSync(join(repository, "sdk", file), join(staging, file));
    const words = ["pack", "--silent", "--ignore-scripts", "--pack-destination", target];
    const { stdout } = await run("npm", words, { cwd: staging });
    return join(target, stdout.trim());
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Installs the tarball and packages of this repository into an application's folder, with their dependencies.
 *
 * @param packages their names; or the name and the alias in this repository, such as `react` and `react-18`.
 */
export async function installPackages(
  folder: string,
  tarball: string,
  packages: readonly (string | readonly [name: string, here: string])[],
): Promise<void> {
  const modules = join(folder, "node_modules");
  const sdk = join(modules, "@twinedge/sdk");
  mkdirSync(sdk, { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", sdk]);
  for (const wanted of packages) {
    const [name, here] = typeof wanted === "string" ? [wanted, wanted] : wanted;
    place(modules, name, join(repository, "node_modules", here));
  }
  for (const name of neededBy(manifestIn(sdk))) place(modules, name, find(name, repository));
}

/** Links a package and its dependencies, unless a package with this name is already linked. */
function place(modules: string, name: string, source: string | undefined, nested = new Set<string>()): void {
  if (source === undefined || nested.has(source)) return;
  if (relative(repository, source).lastIndexOf("node_modules") > 0) nested.add(source);
  else {
    const link = join(modules, name);
    if (existsSync(link)) return;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(source, link);
  }
  for (const needed of neededBy(manifestIn(source))) place(modules, needed, find(needed, source), nested);
}

/** The packages that npm installs with a package: its dependencies, and its required peers. */
function neededBy({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: Manifest): readonly string[] {
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  return [...Object.keys(dependencies), ...peers];
}

/** Where a package that `from` imports is installed here. */
function find(name: string, from: string): string | undefined {
  for (let folder = from; folder.startsWith(repository); folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  return undefined;
}
