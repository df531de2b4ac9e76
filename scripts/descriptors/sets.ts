/**
 * The descriptor sets that `npm run descriptors` compiles, and the digests of their sources. A digest beside a set shows that the
 * set is current, without the compiler.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../run-command.ts";

export interface DescriptorSet {
  readonly path: string;
  /** The file that contains the digests of the sources and of the set. */
  readonly digestPath: string;
  /** Options of `buf build`. */
  readonly options: readonly string[];
  /** Patterns of the files that decide about the set's bytes. */
  readonly sources: readonly string[];
  /** Whether types that no method uses are removed. */
  readonly isPruned: boolean;
}

/** The set of the query gateway. */
export const gatewaySet: DescriptorSet = {
  path: "proto/descriptors/ixo.binpb",
  digestPath: "proto/descriptors/ixo.sha256",
  options: [],
  sources: ["buf.yaml", "proto/**/*.proto", "node_modules/@protobufs/**/*.proto", "scripts/descriptors/prune.ts"],
  isPruned: true,
};

const fixture = "test/support/query-gateway";

/** The workspace of gwtest.proto and its imports; buf.yaml covers only the deployed files. */
const fixtureWorkspace = {
  version: "v2",
  modules: [{ path: fixture }, { path: "node_modules/@protobufs", includes: ["node_modules/@protobufs/google/api"] }],
};

/** The set of the gateway's tests, of the service gwtest.v1.T. */
export const fixtureSet: DescriptorSet = {
  path: `${fixture}/gwtest.binpb`,
  digestPath: `${fixture}/gwtest.sha256`,
  options: [
    ".",
    `--config=${JSON.stringify(fixtureWorkspace)}`,
    "--exclude-source-info",
    `--path=${fixture}/gwtest.proto`,
  ],
  sources: [`${fixture}/**/*.proto`, "node_modules/@protobufs/google/api/*.proto"],
  isPruned: false,
};

/** The text of a set's digest file: a line of `sha256sum` for the sources together, and one for the set. */
export function digestsOf(set: DescriptorSet, bytes: Uint8Array, root = projectRoot): string {
  const sources = createHash("sha256");
  const paths = set.sources.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
  for (const path of paths) sources.update(`${path}\0`).update(sha256(readFileSync(join(root, path))));
  return `${sources.digest("hex")}  sources\n${sha256(bytes)}  ${set.path.slice(set.path.lastIndexOf("/") + 1)}\n`;
}

/** Whether the committed set is compiled from the current sources. */
export function isCurrent(set: DescriptorSet, root = projectRoot): boolean {
  const [bytes, digests] = [set.path, set.digestPath].map((path) => readFileSync(join(root, path)));
  return bytes !== undefined && digests?.toString() === digestsOf(set, bytes, root);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
