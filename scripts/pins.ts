/** `npm run pins`: rotation of the keys that seal PINs (PH-102). This file binds `pins/run-pins.ts` to the process. */
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parsePins, usage } from "./pins/arguments.ts";
import { exitCodes, runPins } from "./pins/run-pins.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";
import { wrongUsage } from "./wrong-usage.ts";

const options = parsePins(process.argv.slice(2), process.env);
if (options === "help") process.stdout.write(usage);
else if (options instanceof Error) {
  process.stderr.write(wrongUsage("npm run pins", options));
  process.exitCode = exitCodes.usage;
} else {
  process.exitCode = await runPins(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
    wait: (seconds) => wait(seconds * 1_000),
  });
}
