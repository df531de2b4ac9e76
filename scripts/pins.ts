/** `npm run pins`: rotation of the keys that seal PINs (PH-102). This file binds `pins/run-pins.ts` to the process. */
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { runAs } from "./command.ts";
import { pinsCommand } from "./pins/arguments.ts";
import { runPins } from "./pins/run-pins.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

await runAs(pinsCommand, (options) =>
  runPins(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
    wait: (seconds) => wait(seconds * 1_000),
  }),
);
