/**
 * `npm run person`: copies and erases the data of a person, and applies the list of erased people after a restore. This file binds
 * it to the process; start reading at `person/run-person.ts`.
 */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { runAs } from "./command.ts";
import { personCommand } from "./person/arguments.ts";
import { runPerson } from "./person/run-person.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

await runAs(personCommand, (options) =>
  runPerson(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    readFile: (path) => readFile(path, "utf8"),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
    wait: (seconds) => wait(seconds * 1_000),
  }),
);
