/**
 * `npm run keys`: issues, lists, rotates and revokes API keys of a running registry over its own HTTP interface. This file binds
 * it to the process; `keys/run-keys.ts` is where to read on.
 */
import { text } from "node:stream/consumers";
import { join } from "node:path";
import * as ed25519 from "@ucanto/principal/ed25519";
import { parseKeys, usage } from "./keys/arguments.ts";
import { exitCodes, runKeys } from "./keys/run-keys.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";
import { wrongUsage } from "./wrong-usage.ts";

const options = parseKeys(process.argv.slice(2), process.env);
if (options === "help") process.stdout.write(usage);
else if (options instanceof Error) {
  process.stderr.write(wrongUsage("npm run keys", options));
  process.exitCode = exitCodes.usage;
} else {
  process.exitCode = await runKeys(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
    freshDid: async () => (await ed25519.generate()).did(),
  });
}
