/**
 * `npm run keys`: issues, lists, rotates and revokes API keys of a running registry over its own HTTP interface. This file binds it
 * to the process; start reading at `keys/run-keys.ts`.
 */
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { seedIssuer } from "../sdk/src/core/key-issuer.ts";
import { runAs } from "./command.ts";
import { keysCommand } from "./keys/arguments.ts";
import { runKeys } from "./keys/run-keys.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

await runAs(keysCommand, (options) =>
  runKeys(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
    freshDid: async () => (await seedIssuer(new Uint8Array(randomBytes(32)))).did,
  }),
);
