/**
 * `npm run descriptors`: formats proto/ixo and compiles it, with the Cosmos modules of npm, into proto/descriptors/, which the
 * query gateway uses. With `--check` nothing is written, and the committed files are compared byte for byte. Needs no network.
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
import { projectRoot, runCommand } from "./run-command.ts";

const usage = `Usage: npm run descriptors -- [options]

  --check  write nothing; fail when proto/descriptors is not what the sources give
  --help   this text

Exit codes: 0 done, 1 it does not compile or is not current, 2 wrong usage.
`;
const folder = join(projectRoot, "proto/descriptors");
const inputFolder = join(projectRoot, "node_modules/@protobufs");

const command = defineCommand({
  name: "npm run descriptors",
  usage,
  options: { check: { type: "boolean", default: false } },
  read: ({ values }) => values.check,
});
await runAs(command, descriptors);

async function descriptors(checkOnly: boolean): Promise<number> {
  const format = await runCommand("buf", ["format", "proto", ...(checkOnly ? ["--diff", "--exit-code"] : ["--write"])]);
  if (format.code !== 0) {
    process.stderr.write(`proto/ixo is not formatted, \`npm run descriptors\` does it:\n${format.output}`);
    return 1;
  }
  const compiled = await compile();
  if (typeof compiled === "string") {
    process.stderr.write(compiled);
    return 1;
  }
  const outputs: readonly (readonly [string, Uint8Array])[] = [
    ["ixo.binpb", compiled],
    ["NOTICE", Buffer.from(noticesOf(inputs()))],
  ];
  const stale = outputs.filter(([name, bytes]) => !isCurrent(join(folder, name), bytes)).map(([name]) => name);
  if (!checkOnly) for (const [name, bytes] of outputs) writeFileSync(join(folder, name), bytes);
  const zipped = gzipSync(compiled).length;
  process.stdout.write(`ixo.binpb: ${kilobytes(compiled.length)}, ${kilobytes(zipped)} gzip\n`);
  if (!checkOnly || stale.length === 0) return 0;
  process.stdout.write(`Not current: ${stale.join(", ")}. Run \`npm run descriptors\` and commit what it writes.\n`);
  return 1;
}

/** The pruned set, or the compiler's error. */
async function compile(): Promise<Uint8Array | string> {
  const scratch = mkdtempSync(join(tmpdir(), "twinedge-descriptors-"));
  try {
    const path = join(scratch, "set.binpb");
    const { code, output } = await runCommand("buf", ["build", "--as-file-descriptor-set", "--output", path]);
    if (code !== 0) return output;
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(path));
    return toBinary(FileDescriptorSetSchema, pruneDescriptors(set));
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

function isCurrent(path: string, bytes: Uint8Array): boolean {
  return existsSync(path) && readFileSync(path).equals(bytes);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
