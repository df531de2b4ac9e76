/**
 * `npm run descriptors`: formats proto/ixo and compiles it, with the Cosmos modules of npm, into proto/descriptors/, which the
 * query gateway uses. It also compiles the set of the gateway's tests. The compiler is installed into dist/ when it is needed.
 * With `--check` nothing is written or compiled: digests beside the sets show that they are current.
 */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineCommand, runAs } from "./command.ts";
import { noticesOf, type Input } from "./descriptors/notices.ts";
import { pruneDescriptors } from "./descriptors/prune.ts";
import { digestsOf, fixtureSet, gatewaySet, isCurrent, type DescriptorSet } from "./descriptors/sets.ts";
import { projectRoot, runCommand } from "./run-command.ts";
import { fileOfTool } from "./tool-on-demand.ts";

const usage = `Usage: npm run descriptors -- [options]

Compiles the .proto files and writes the descriptor sets. Commit the result. The first run installs the compiler below dist/ and
needs the package registry.

  --check  write nothing; fail when a set does not belong to the current .proto files
  --help   this text

Exit codes: 0 done, 1 it does not compile or is not current, 2 wrong usage.
`;
const COMPILER = "@bufbuild/buf@1.75.0";
const NOTICE = "proto/descriptors/NOTICE";
const inputFolder = join(projectRoot, "node_modules/@protobufs");

const command = defineCommand({
  name: "npm run descriptors",
  usage,
  options: { check: { type: "boolean", default: false } },
  read: ({ values }) => values.check,
});
await runAs(command, (checkOnly) => (checkOnly ? check() : write()));

function check(): number {
  const stale = [gatewaySet, fixtureSet].filter((set) => !isCurrent(set)).map(({ path }) => path);
  const notice = join(projectRoot, NOTICE);
  if (!existsSync(notice) || readFileSync(notice, "utf8") !== noticesOf(inputs())) stale.push(NOTICE);
  if (stale.length === 0) return 0;
  process.stdout.write(`Not current: ${stale.join(", ")}. Run \`npm run descriptors\` and commit what it writes.\n`);
  return 1;
}

async function write(): Promise<number> {
  const compiler = await fileOfTool("descriptor-compiler", [COMPILER], ".bin/buf");
  const format = await runCommand(compiler, ["format", "proto", "--write"]);
  if (format.code !== 0) {
    process.stderr.write(format.output);
    return 1;
  }
  for (const set of [gatewaySet, fixtureSet]) {
    const compiled = await compile(compiler, set);
    if (typeof compiled === "string") {
      process.stderr.write(compiled);
      return 1;
    }
    writeFileSync(join(projectRoot, set.path), compiled);
    writeFileSync(join(projectRoot, set.digestPath), digestsOf(set, compiled));
    process.stdout.write(`${set.path}: ${kilobytes(compiled.length)}, ${kilobytes(gzipSync(compiled).length)} gzip\n`);
  }
  writeFileSync(join(projectRoot, NOTICE), noticesOf(inputs()));
  return 0;
}

/** The set's bytes, or the compiler's error. */
async function compile(compiler: string, { options, isPruned }: DescriptorSet): Promise<Uint8Array | string> {
  const scratch = mkdtempSync(join(tmpdir(), "twinedge-descriptors-"));
  try {
    const path = join(scratch, "set.binpb");
    const words = ["build", ...options, "--as-file-descriptor-set", "--output", path];
    const { code, output } = await runCommand(compiler, words);
    if (code !== 0) return output;
    const bytes = readFileSync(path);
    if (!isPruned) return bytes;
    return toBinary(FileDescriptorSetSchema, pruneDescriptors(fromBinary(FileDescriptorSetSchema, bytes)));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function inputs(): readonly Input[] {
  return readdirSync(inputFolder)
    .toSorted()
    .map((name) => {
      const manifest = JSON.parse(readFileSync(join(inputFolder, name, "package.json"), "utf8")) as Input;
      return { ...manifest, licence: readFileSync(join(inputFolder, name, "LICENSE"), "utf8") };
    });
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
