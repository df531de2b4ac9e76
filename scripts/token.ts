/**
 * `npm run token`: an invocation and a delegation for curl and the API reference, signed with the key of `npm run chat`.
 * This file binds it to the process; `token/run-token.ts` is where to read on.
 */
import { randomBytes } from "node:crypto";
import { projectRoot } from "./run-command.ts";
import { parseToken, usage } from "./token/arguments.ts";
import { exitCodes, runToken } from "./token/run-token.ts";

const options = parseToken(process.argv.slice(2), process.env);
if (options === "help") process.stdout.write(usage);
else if (options instanceof Error) {
  process.stderr.write(`npm run token: ${options.message}\n\n${usage}`);
  process.exitCode = exitCodes.usage;
} else {
  process.exitCode = await runToken(options, {
    environment: process.env,
    projectDirectory: projectRoot,
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
    now: Date.now,
    randomSeed: () => new Uint8Array(randomBytes(32)),
  });
}
